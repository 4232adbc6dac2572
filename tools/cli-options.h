/* gst-stereomatching: command line options from a table
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * cli-options.h: a program describes its options as rows of one table.  Usage,
 * parsing, error messages, shell completion and the manual page come from it.
 *
 * Every program also has --help, --version and --options, which prints the
 * table for packaging/: one option to a line, with its argument, choices and
 * description separated by tabs; headings have the description only.
 */

#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "stereo.h"

#include <stddef.h>
#include <stdio.h>

/* The type of an option, and of the field that receives its value. */
typedef enum
{
  CLI_END = 0,                  /* ends the table */
  CLI_HEADING,                  /* the description is a heading */
  CLI_FLAG,                     /* bool; a placeholder is for the usage only */
  CLI_TEXT,                     /* const char * */
  CLI_TEXTS,                    /* CliTexts; the option may be repeated */
  CLI_PAIR,                     /* const char *[2]; takes two arguments */
  CLI_CHOICE,                   /* const char *; the default is the first one */
  CLI_INTEGER,                  /* int, from minimum to maximum */
  CLI_POSITIVE,                 /* double above 0 and up to maximum, if any */
  CLI_INVALID,                  /* CliInvalid: a number or "none" */
  CLI_CALL,                     /* handled by call() */
  CLI_PRINT                     /* print() writes the output of the program */
} CliType;

/* Borrows the texts; owns item. */
typedef struct
{
  const char **item;
  size_t n;
} CliTexts;

/* The code of invalid pixels in a file; NAN = none. */
typedef struct
{
  bool given;
  double value;
} CliInvalid;

typedef struct
{
  const char *name;             /* without the dashes */
  const char *argument;         /* its placeholder; NULL: takes none */
  CliType type;
  size_t offset;                /* of the field in the options structure */
  const char *description;
  const char *const *choices;   /* CLI_CHOICES(); of others: for completion */
  double minimum, maximum;
    bool (*call) (const char *value, void *options, StereoMessage * why);
  void (*print) (FILE * file);
} CliOption;

typedef struct
{
  const char *name;             /* of the program */
  const char *synopsis;         /* its arguments, one form to a line */
  const char *description;
  const CliOption *options;
  /* Takes an argument that is not an option.  after: the option that it
   * follows, with such arguments only in between, or NULL. */
  void (*take) (const char *text, const CliOption * after, void *options);
} CliProgram;

#define CLI_CHOICES(...) (const char *const[]) { __VA_ARGS__, NULL }

void cli_texts_add (CliTexts * texts, const char *text);

/* Parses the command line into options, which is zeroed or has its defaults;
 * strings are borrowed.  Errors end the program with status 2. */
void cli_parse (const CliProgram * program, int argc, char **argv,
    void *options);

/* Flushes stdout; the exit status, with a message on failure. */
int cli_flush (const char *program);

#endif /* CLI_OPTIONS_H */
