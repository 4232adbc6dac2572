/* gst-stereomatching: tests of setups, sweeps, JSON and CSV
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "cli.h"
#include "test.h"

#include <math.h>

static void
refuse_setup (const char *text, const char *part)
{
  CliSetups setups = { NULL, 0 };
  StereoMessage why = { "" };

  CHECK (!cli_setups_add (&setups, text, &why));
  CHECK_INT (setups.n, ==, 0);
  CHECK_CONTAINS (why.text, part);
}

TEST (test_setups)
{
  CliSetups setups = { NULL, 0 };
  StereoMessage why = { "" };
  double value = 0;

  REQUIRE (cli_setups_add (&setups,
          " vcbw  windows=four median=true\tradius=3", &why));
  CHECK_INT (setups.n, ==, 1);
  CHECK_STRING (setups.item[0].label, "vcbw windows=four median=true radius=3");
  CHECK (stereo_params_get (setups.item[0].params, "radius", &value));
  CHECK_DOUBLE (value, ==, 3);
  CHECK_STRING (cli_setup_property (&setups.item[0], "median"), "true");
  CHECK (cli_setup_property (&setups.item[0], "gamma-distance") == NULL);

  REQUIRE (cli_setups_add (&setups, "vcbw", &why));
  REQUIRE (cli_setups_set (&setups, "radius=5", &why));
  CHECK_STRING (setups.item[0].label, "vcbw windows=four median=true radius=5");
  CHECK_STRING (setups.item[1].label, "vcbw radius=5");
  CHECK (!cli_setups_set (&setups, "radius", &why));
  CHECK_CONTAINS (why.text, "PROPERTY=VALUE");
  cli_setups_clear (&setups);
  CHECK_INT (setups.n, ==, 0);

  refuse_setup ("", "no algorithm");
  refuse_setup ("no-such", "no-such");
  refuse_setup ("vcbw radius=0", "from 1 to");
  refuse_setup ("vcbw radius=1.5", "whole numbers");
  refuse_setup ("vcbw radius=nan", "radius");
  refuse_setup ("vcbw nothing=1", "'nothing'");
  refuse_setup ("vcbw median", "PROPERTY=VALUE");
  refuse_setup ("vcbw =1", "PROPERTY=VALUE");
}

/* The values of one property in all setups, as text. */
static void
check_sweep (const char *sweep, const char *name, const char *wanted)
{
  CliSetups setups = { NULL, 0 };
  StereoMessage why = { "" };
  char text[256] = "";

  REQUIRE (cli_setups_add (&setups, "vcbw median=true", &why));
  if (!cli_setups_sweep (&setups, sweep, &why))
    fprintf (stderr, "%s\n", why.text);
  for (size_t i = 0; i < setups.n; i++) {
    const char *value = cli_setup_property (&setups.item[i], name);

    REQUIRE (value != NULL);
    strncat (text, value, sizeof (text) - strlen (text) - 1);
    strncat (text, " ", sizeof (text) - strlen (text) - 1);
    CHECK_STRING (cli_setup_property (&setups.item[i], "median"), "true");
  }
  CHECK_STRING (text, wanted);
  cli_setups_clear (&setups);
}

static void
refuse_sweep (const char *sweep, const char *part)
{
  CliSetups setups = { NULL, 0 };
  StereoMessage why = { "" };

  REQUIRE (cli_setups_add (&setups, "vcbw", &why));
  CHECK (!cli_setups_sweep (&setups, sweep, &why));
  CHECK_CONTAINS (why.text, part);
  CHECK_INT (setups.n, ==, 1);
  CHECK_STRING (setups.item[0].label, "vcbw");
  cli_setups_clear (&setups);
}

TEST (test_sweeps)
{
  CliSetups setups = { NULL, 0 };
  StereoMessage why = { "" };

  check_sweep ("radius=2:4", "radius", "2 3 4 ");
  check_sweep ("radius=2:7:2", "radius", "2 4 6 ");
  check_sweep ("radius=4:2:-1", "radius", "4 3 2 ");
  check_sweep ("radius=4:4", "radius", "4 ");
  check_sweep ("edge-penalty=0:0.3:0.1", "edge-penalty", "0 0.1 0.2 0.3 ");
  check_sweep ("edge-penalty=0:0.95:0.3", "edge-penalty", "0 0.3 0.6 0.9 ");
  check_sweep ("windows=four,nine", "windows", "four nine ");

  REQUIRE (cli_setups_add (&setups, "vcbw", &why));
  REQUIRE (cli_setups_sweep (&setups, "radius=1:3", &why));
  REQUIRE (cli_setups_sweep (&setups, "windows=four,nine", &why));
  CHECK_INT (setups.n, ==, 6);
  CHECK_STRING (setups.item[3].label, "vcbw radius=2 windows=nine");
  cli_setups_clear (&setups);

  refuse_sweep ("radius", "PROPERTY=VALUE");
  refuse_sweep ("radius=1:2:3:4", "FROM:TO:STEP");
  refuse_sweep ("radius=a:2", "FROM:TO:STEP");
  refuse_sweep ("radius=1:inf", "FROM:TO:STEP");
  refuse_sweep ("radius=1:2:0", "never");
  refuse_sweep ("radius=1:2:-1", "never");
  refuse_sweep ("radius=,", "no values");
  refuse_sweep ("radius=0:1:1e-9", "more than");
  refuse_sweep ("radius=31:33", "from 1 to 32");
  refuse_sweep ("windows=four,six", "windows");
}

TEST (test_numbers)
{
  double value = 7;

  CHECK (cli_number ("-2.5e1", &value));
  CHECK_DOUBLE (value, ==, -25);
  CHECK (!cli_number ("", &value));
  CHECK (!cli_number ("1x", &value));
  CHECK (!cli_number ("nan", &value));
  CHECK (!cli_number ("1e999", &value));
  CHECK_DOUBLE (value, ==, -25);
}

TEST (test_json)
{
  char *text = NULL;
  size_t size = 0;
  FILE *file = open_memstream (&text, &size);
  CliJson json = { file, 0, false };

  REQUIRE (file != NULL);
  cli_json_open (&json, NULL, '{');
  cli_json_text (&json, "a\"b", "tab\t back\\ \x01 \xc3\xa4 \xff \xc0\x80 "
      "\xed\xa0\x80 \xe2\x82");
  cli_json_text (&json, "none", NULL);
  cli_json_open (&json, "list", '[');
  cli_json_number (&json, NULL, 0.1);
  cli_json_number (&json, NULL, NAN);
  cli_json_number (&json, NULL, -INFINITY);
  cli_json_number (&json, NULL, 123456789);
  cli_json_close (&json, ']');
  cli_json_open (&json, "empty", '{');
  cli_json_close (&json, '}');
  cli_json_bool (&json, "yes", true);
  cli_json_close (&json, '}');
  fclose (file);
  CHECK_STRING (text, "{\n"
      "  \"a\\\"b\": \"tab\\u0009 back\\\\ \\u0001 \xc3\xa4 \\ufffd "
      "\\ufffd\\ufffd \\ufffd\\ufffd\\ufffd \\ufffd\\ufffd\",\n"
      "  \"none\": null,\n"
      "  \"list\": [\n"
      "    0.1,\n    null,\n    null,\n    123456789\n"
      "  ],\n" "  \"empty\": {},\n" "  \"yes\": true\n" "}\n");
  free (text);
}

TEST (test_csv)
{
  char *text = NULL;
  size_t size = 0;
  FILE *file = open_memstream (&text, &size);

  REQUIRE (file != NULL);
  cli_csv_text (file, true, "plain text");
  cli_csv_text (file, false, "a,b");
  cli_csv_text (file, false, "say \"x\"\n");
  cli_csv_text (file, false, "");
  cli_csv_number (file, 2.5);
  cli_csv_number (file, NAN);
  fclose (file);
  CHECK_STRING (text, "plain text,\"a,b\",\"say \"\"x\"\"\n\",,2.5,");
  free (text);
}

TEST_MAIN ()
