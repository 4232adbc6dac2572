/* gst-stereomatching: a minimal test runner
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A test program is a table of named functions:
 *
 *   static const Test tests[] = { {"copies", test_copies}, ... };
 *   TEST_MAIN (tests)
 *
 * Without arguments it runs them all; arguments that name tests select those.
 * A failed CHECK is reported with both operands and the test goes on; the exit
 * status is 1 if any failed, 77 if all were skipped.
 */

#ifndef TEST_H
#define TEST_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct
{
  const char *name;
  void (*run) (void);
} Test;

/* Of the test that runs; one of each for all files of a program. */
__attribute__ ((weak)) unsigned test_failures;
__attribute__ ((weak)) bool test_skipped;

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
      fprintf (stderr, "%s:%d: failed: %s is '%s', not '%s'\n", __FILE__, \
          __LINE__, #a, a_, b_); \
  } while (0)

/* The text has to name what was wrong. */
#define CHECK_CONTAINS(text, part) \
  do { \
    const char *a_ = (text), *b_ = (part); \
    if (strstr (a_, b_) == NULL && test_failures++ < TEST_MAX_REPORTS) \
      fprintf (stderr, "%s:%d: failed: '%s' does not contain '%s'\n", \
          __FILE__, __LINE__, a_, b_); \
  } while (0)

/* For what the rest of the program can't do without. */
#define REQUIRE(condition) \
  do { \
    if (!(condition)) { \
      fprintf (stderr, "%s:%d: required: %s\n", __FILE__, __LINE__, \
          #condition); \
      exit (1); \
    } \
  } while (0)

/* In a test function that can't run here. */
#define SKIP(reason) \
  do { \
    printf ("  skipped: %s\n", reason); \
    test_skipped = true; \
    return; \
  } while (0)

static inline int
test_run (const Test * tests, size_t n, int argc, char **argv)
{
  unsigned n_run = 0, n_failed = 0, n_skipped = 0;

  for (size_t i = 0; i < n; i++) {
    bool selected = argc < 2;

    for (int a = 1; a < argc; a++)
      selected |= strcmp (argv[a], tests[i].name) == 0;
    if (!selected)
      continue;

    test_failures = 0;
    test_skipped = false;
    tests[i].run ();
    printf ("%s %s\n", test_failures ? "FAIL" : test_skipped ? "skip" : "ok",
        tests[i].name);
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

#define TEST_RUN(tests, argc, argv) \
  test_run (tests, sizeof (tests) / sizeof ((tests)[0]), argc, argv)

#define TEST_MAIN(tests) \
  int \
  main (int argc, char **argv) \
  { \
    return TEST_RUN (tests, argc, argv); \
  }

#endif /* TEST_H */
