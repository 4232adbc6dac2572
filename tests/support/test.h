/* gst-stereomatching: a minimal test runner
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A test program consists of functions that register themselves:
 *
 *   TEST (test_many_copies)
 *   {
 *   }
 *
 *   TEST_MAIN ()
 *
 * It runs all tests in the order of the file, or those named as arguments:
 * "many-copies".
 * A failed CHECK is reported with both operands and the test continues; the
 * exit status is 1 if any failed, 77 if all were skipped.
 */

#ifndef TEST_H
#define TEST_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Test Test;
struct Test
{
  char name[64];
  void (*run) (void);
  Test *next;
};

/* Defines and registers a test, a function named test_something. */
#define TEST(function) \
  static void function (void); \
  __attribute__ ((constructor)) static void function##_register (void) \
  { \
    static Test test = { .run = function }; \
    test_register (&test, &#function[sizeof ("test_") - 1]); \
  } \
  static void function (void)

/* Declares a variable whose address is passed to a function when its block
 * ends: SCOPED (stereo_device_unref) StereoDevice *device = NULL; */
#define SCOPED(free_function) __attribute__ ((cleanup (free_function)))

/* For SCOPED: frees memory of malloc(). */
static inline void
free_scoped (void *pointer)
{
  free (*(void **) pointer);
}

/* Common symbols: one of each for all files of a program.  (Weak variables have
 * wrong addresses in objects for Windows.) */
__attribute__ ((common)) Test *test_first;
__attribute__ ((common)) Test *test_last;

static inline void
test_register (Test * test, const char *name)
{
  for (size_t i = 0; i + 1 < sizeof (test->name) && name[i] != '\0'; i++)
    test->name[i] = name[i] == '_' ? '-' : name[i];
  *(test_last != NULL ? &test_last->next : &test_first) = test;
  test_last = test;
}

/* Of the test that runs. */
__attribute__ ((common)) unsigned test_failures;
__attribute__ ((common)) bool test_skipped;

#define TEST_MAX_REPORTS 20

#define CHECK(condition) \
  do { \
    if (!(condition) && test_failures++ < TEST_MAX_REPORTS) \
      fprintf (stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, \
          #condition); \
  } while (0)

#define CHECK_INT(a, op, b) \
  do { \
    long long a_ = (long long) (a), b_ = (long long) (b); \
    if (!(a_ op b_) && test_failures++ < TEST_MAX_REPORTS) \
      fprintf (stderr, "%s:%d: failed: %s %s %s (%lld, %lld)\n", __FILE__, \
          __LINE__, #a, #op, #b, a_, b_); \
  } while (0)

#define CHECK_DOUBLE(a, op, b) \
  do { \
    double a_ = (a), b_ = (b); \
    if (!(a_ op b_) && test_failures++ < TEST_MAX_REPORTS) \
      fprintf (stderr, "%s:%d: failed: %s %s %s (%.9g, %.9g)\n", __FILE__, \
          __LINE__, #a, #op, #b, a_, b_); \
  } while (0)

#define CHECK_STRING(a, b) \
  do { \
    const char *a_ = (a), *b_ = (b); \
    if (strcmp (a_, b_) != 0 && test_failures++ < TEST_MAX_REPORTS) \
      fprintf (stderr, "%s:%d: failed: %s is '%s', expected '%s'\n", __FILE__, \
          __LINE__, #a, a_, b_); \
  } while (0)

/* Checks that a message contains part. */
#define CHECK_CONTAINS(text, part) \
  do { \
    const char *a_ = (text), *b_ = (part); \
    if (strstr (a_, b_) == NULL && test_failures++ < TEST_MAX_REPORTS) \
      fprintf (stderr, "%s:%d: failed: '%s' does not contain '%s'\n", \
          __FILE__, __LINE__, a_, b_); \
  } while (0)

/* Ends the program: for conditions that the following code needs. */
#define REQUIRE(condition) \
  do { \
    if (!(condition)) { \
      fprintf (stderr, "%s:%d: required: %s\n", __FILE__, __LINE__, \
          #condition); \
      exit (1); \
    } \
  } while (0)

/* Ends a test that cannot run here. */
#define SKIP(reason) \
  do { \
    printf ("  skipped: %s\n", reason); \
    test_skipped = true; \
    return; \
  } while (0)

/* Returns the exit status. */
static inline int
test_run (int argc, char **argv)
{
  unsigned n_run = 0, n_failed = 0, n_skipped = 0;

  for (const Test * t = test_first; t != NULL; t = t->next) {
    bool selected = argc < 2;

    for (int a = 1; a < argc; a++)
      selected |= strcmp (argv[a], t->name) == 0;
    if (!selected)
      continue;

    test_failures = 0;
    test_skipped = false;
    t->run ();
    printf ("%s %s\n", test_failures ? "FAIL" : test_skipped ? "skip" : "ok",
        t->name);
    fflush (stdout);
    n_run++;
    n_failed += test_failures != 0;
    n_skipped += test_failures == 0 && test_skipped;
  }
  printf ("%u tests, %u failed, %u skipped\n", n_run, n_failed, n_skipped);
  if (n_failed > 0 || n_run == 0)
    return 1;
  return n_skipped == n_run ? 77 : 0;
}

#define TEST_MAIN() \
  int \
  main (int argc, char **argv) \
  { \
    return test_run (argc, argv); \
  }

#endif /* TEST_H */
