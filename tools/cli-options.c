/* gst-stereomatching: command line options from a table
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "cli-options.h"

#include "cli.h"
#include "platform.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Columns of the usage. */
#define DESCRIPTION_COLUMN 25
#define LAST_COLUMN 78

enum
{ HELP = 1000, VERSION, TABLE };

void
cli_texts_add (CliTexts * texts, const char *text)
{
  texts->item = cli_resize (texts->item,
      (texts->n + 1) * sizeof (*texts->item));
  texts->item[texts->n++] = text;
}

int
cli_flush (const char *program)
{
  if (fflush (stdout) == 0 && !ferror (stdout))
    return 0;
  fprintf (stderr, "%s: Cannot write the output: %s\n", program,
      strerror (errno));
  return CLI_FAILED;
}

/* ------------------------------------------------------------------- usage */

/* Prints words up to the last column; further lines begin at the description
 * column.  Returns the column reached. */
static int
print_words (int column, const char *text)
{
  while (*text != '\0') {
    const int length = (int) strcspn (text, " ");

    if (column + 1 + length > LAST_COLUMN) {
      printf ("\n%*s", DESCRIPTION_COLUMN - 1, "");
      column = DESCRIPTION_COLUMN - 1;
    }
    printf (" %.*s", length, text);
    column += 1 + length;
    text += length;
    text += strspn (text, " ");
  }
  return column;
}

/* Writes "a, b or c"; text after the first. */
static void
list_choices (const char *const *choices, const char *after_first,
    StereoMessage * list)
{
  size_t used = 0;

  for (size_t i = 0; choices[i] != NULL && used < sizeof (list->text); i++)
    used += (size_t) snprintf (list->text + used, sizeof (list->text) - used,
        "%s%s%s", i == 0 ? "" : choices[i + 1] == NULL ? " or " : ", ",
        choices[i], i == 0 ? after_first : "");
}

static void
print_row (const CliOption * option)
{
  int column = printf ("  --%s%s%s", option->name,
      option->argument != NULL ? " " : "",
      option->argument != NULL ? option->argument : "");

  if (column < DESCRIPTION_COLUMN - 1)
    column += printf ("%*s", DESCRIPTION_COLUMN - 1 - column, "");
  column = print_words (column, option->description);
  if (option->type == CLI_CHOICE) {
    StereoMessage choices = { "" };

    list_choices (option->choices, " (default)", &choices);
    putchar (':');
    print_words (column + 1, choices.text);
  }
  putchar ('\n');
}

static void
print_usage (const CliProgram * program)
{
  const char *line = program->synopsis;

  for (const char *title = "Usage:"; *line != '\0'; title = "") {
    const int length = (int) strcspn (line, "\n");

    printf ("%-6s %s %.*s\n", title, program->name, length, line);
    line += length + (line[length] == '\n');
  }
  printf ("\n%s\n", program->description);
  if (program->options[0].type != CLI_HEADING)
    putchar ('\n');
  for (const CliOption * row = program->options; row->type != CLI_END; row++) {
    if (row->type == CLI_HEADING)
      printf ("\n%s\n", row->description);
    else
      print_row (row);
  }
  printf ("  --help, --version\n");
}

static void
print_table (const CliProgram * program)
{
  for (const CliOption * row = program->options; row->type != CLI_END; row++) {
    const bool heading = row->type == CLI_HEADING;

    printf ("%s%s\t%s\t", heading ? "" : "--", heading ? "" : row->name,
        row->argument != NULL ? row->argument : "");
    for (size_t i = 0; row->choices != NULL && row->choices[i] != NULL; i++)
      printf ("%s%s", i > 0 ? " " : "", row->choices[i]);
    printf ("\t%s\n", row->description);
  }
  printf ("--help\t\t\tprint the usage\n--version\t\t\tprint the version\n");
}

/* ----------------------------------------------------------------- parsing */

static void *
field_of (const CliOption * option, void *options)
{
  return (char *) options + option->offset;
}

/* Stores a choice or a number; false and what was expected if it is wrong. */
static bool
set_value (const CliOption * option, const char *value, void *field,
    StereoMessage * expected)
{
  double number = NAN;
  const bool good = cli_number (value, &number);

  if (option->type == CLI_CHOICE) {
    size_t i = 0;

    while (option->choices[i] != NULL && strcmp (option->choices[i], value))
      i++;
    list_choices (option->choices, "", expected);
    *(const char **) field = option->choices[i];
    return option->choices[i] != NULL;
  }
  if (option->type == CLI_INTEGER) {
    if (!good || number != floor (number) || number < option->minimum
        || number > option->maximum)
      return cli_fail (expected, "an integer from %.0f to %.0f",
          option->minimum, option->maximum);
    *(int *) field = (int) number;
  } else if (option->type == CLI_INVALID) {
    if (!good && strcmp (value, "none") != 0)
      return cli_fail (expected, "a number or none");
    *(CliInvalid *) field = (CliInvalid) {
    true, number};
  } else {
    if (option->maximum > 0 && !(number > 0 && number <= option->maximum))
      return cli_fail (expected, "a number above 0, at most %g",
          option->maximum);
    if (!(number > 0))
      return cli_fail (expected, "a number above 0");
    *(double *) field = number;
  }
  return true;
}

static void
set_option (const CliProgram * program, const CliOption * option,
    const char *value, char **argv, void *options)
{
  void *field = field_of (option, options);
  StereoMessage why = { "" };

  switch (option->type) {
    case CLI_FLAG:
      *(bool *) field = true;
      return;
    case CLI_TEXT:
      *(const char **) field = value;
      return;
    case CLI_TEXTS:
      cli_texts_add (field, value);
      return;
    case CLI_PAIR:
      if (argv[optind] == NULL || strncmp (argv[optind], "--", 2) == 0)
        cli_die (program->name, "--%s needs two values", option->name);
      ((const char **) field)[0] = value;
      ((const char **) field)[1] = argv[optind++];
      return;
    case CLI_CALL:
      if (!option->call (value, options, &why))
        cli_die (program->name, "--%s: %s", option->name, why.text);
      return;
    case CLI_PRINT:
      option->print (stdout);
      exit (cli_flush (program->name));
    default:
      if (!set_value (option, value, field, &why))
        cli_die (program->name, "--%s: expected %s, got '%s'", option->name,
            why.text, value);
  }
}

/* Rows of a program at most, and of all programs. */
#define MAX_ROWS 64
#define N_COMMON 4

/* Fills the table for getopt_long(); codes are 256 + the index of the row.
 * Stores the defaults of choices. */
static void
prepare (const CliProgram * program, void *options,
    struct option table[MAX_ROWS + N_COMMON])
{
  static const struct option common[N_COMMON] = {
    {"help", no_argument, NULL, HELP},
    {"version", no_argument, NULL, VERSION},
    {"options", no_argument, NULL, TABLE},
    {NULL, 0, NULL, 0}
  };
  size_t used = 0;

  for (size_t i = 0; program->options[i].type != CLI_END; i++) {
    const CliOption *row = &program->options[i];

    if (row->type == CLI_CHOICE)
      *(const char **) field_of (row, options) = row->choices[0];
    if (row->type != CLI_HEADING && used < MAX_ROWS)
      table[used++] = (struct option) {
      row->name, row->argument != NULL && row->type != CLI_FLAG, NULL,
          256 + (int) i};
  }
  memcpy (table + used, common, sizeof (common));
}

void
cli_parse (const CliProgram * program, int argc, char **argv, void *options)
{
  struct option table[MAX_ROWS + N_COMMON];
  const CliOption *after = NULL;
  int code;

  /* Files above the limit of `ulimit -f` fail to be written instead. */
  platform_ignore_file_size_signal ();
  prepare (program, options, table);
  opterr = 0;
  /* "-": arguments that are not options come in their order, with code 1.  A
   * word of several short options stays at optind until its last one. */
  for (int at = optind; (code = getopt_long (argc, argv, "-:h", table,
              NULL)) != -1; at = optind) {
    if (code == 1) {
      program->take (optarg, after, options);
    } else if (code == ':') {
      cli_die (program->name, "%s needs a value", argv[at]);
    } else if (code == '?' && optopt >= 256) {
      cli_die (program->name, "%.*s takes no value, got '%s'",
          (int) strcspn (argv[at], "="), argv[at], strchr (argv[at], '=') + 1);
    } else if (code == '?') {
      cli_die (program->name, "unknown option '%s'; --help lists all options",
          argv[at]);
    } else if (code == HELP || code == 'h') {
      print_usage (program);
      exit (cli_flush (program->name));
    } else if (code == VERSION) {
      printf ("%s %s\n", program->name, stereo_version ());
      exit (cli_flush (program->name));
    } else if (code == TABLE) {
      print_table (program);
      exit (cli_flush (program->name));
    } else {
      after = &program->options[code - 256];
      set_option (program, after, optarg, argv, options);
    }
  }
  for (; optind < argc; optind++)
    program->take (argv[optind], NULL, options);
}
