/* gst-stereomatching: tests of the map synchronization
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "aggregate/gststereomapsync.h"
#include "test.h"

#define NONE GST_CLOCK_TIME_NONE
/* in a segment whose base has advanced */
#define AFTER(base, t) {base + t, 10, FALSE, TRUE, t, base}
#define AT(t) AFTER (0, t)
#define GAP(t, d) {t, d, TRUE, TRUE, t, 0}
#define NOTHING {NONE, NONE, FALSE, FALSE, NONE, 0}
#define UNTIMED {NONE, NONE, FALSE, TRUE, NONE, 0}

#define TAKE GST_STEREO_MAP_SYNC_TAKE
#define DROP_LEFT GST_STEREO_MAP_SYNC_DROP_LEFT
#define DROP_RIGHT GST_STEREO_MAP_SYNC_DROP_RIGHT
#define DROP_MAP GST_STEREO_MAP_SYNC_DROP_MAP
#define NO_TIME GST_STEREO_MAP_SYNC_NO_TIME

static const struct
{
  const char *what;
  GstStereoMapHead map;
  GstStereoHead left, right;
  GstClockTime tolerance;
  gboolean backwards;
  GstStereoMapSync expected;
} rows[] = {
  {"a map and its images", {AT (100), TRUE, 100, 103}, AT (100), AT (103), 5,
      FALSE, TAKE},
  {"exactly its images", {AT (100), TRUE, 100, 103}, AT (100), AT (104), 5,
      FALSE, DROP_MAP},
  {"whenever the map comes", {AT (900), TRUE, 100, 103}, AT (100), AT (103), 5,
      FALSE, TAKE},
  {"a left image before it", {AT (100), TRUE, 100, 100}, AT (90), AT (100), 50,
      FALSE, DROP_LEFT},
  {"a right image before it", {AT (100), TRUE, 100, 100}, AT (100), AT (90), 5,
      FALSE, DROP_RIGHT},
  {"both before it", {AT (100), TRUE, 100, 100}, AT (90), AT (90), 5, FALSE,
      DROP_LEFT},
  {"its left image is gone", {AT (100), TRUE, 100, 100}, AT (110), AT (100), 5,
      FALSE, DROP_MAP},
  {"its right image is gone", {AT (100), TRUE, 100, 100}, AT (100), AT (110),
      5, FALSE, DROP_MAP},
  {"a right image first, then the map", {AT (100), TRUE, 100, 100}, AT (110),
      AT (90), 5, FALSE, DROP_RIGHT},
  {"one view", {AT (100), TRUE, 100, 77}, AT (100), NOTHING, 5, FALSE, TAKE},
  {"backwards", {AT (100), TRUE, 100, 100}, AT (110), AT (100), 5, TRUE,
      DROP_LEFT},
  {"backwards, gone", {AT (100), TRUE, 100, 100}, AT (90), AT (100), 5, TRUE,
      DROP_MAP},
  {"a left image of the last loop", {AFTER (200, 0), TRUE, 0, 0}, AT (190),
      AT (190), 5, FALSE, DROP_LEFT},
  {"a right image of the last loop", {AFTER (200, 0), TRUE, 0, 0},
      AFTER (200, 0), AT (190), 5, FALSE, DROP_RIGHT},
  {"a map of the last loop", {AT (190), TRUE, 190, 190}, AFTER (200, 0),
      AFTER (200, 0), 5, FALSE, DROP_MAP},
  {"a loop backwards", {AFTER (200, 190), TRUE, 190, 190}, AT (0), AT (0), 5,
      TRUE, DROP_LEFT},
  {"a new offset of the maps", {AFTER (50, 100), TRUE, 100, 103}, AT (100),
      AT (103), 5, FALSE, TAKE},
  {"a new offset of the right view", {AT (100), TRUE, 100, 100}, AT (100),
      AFTER (-20, 140), 5, FALSE, DROP_MAP},
  {"images without times", {UNTIMED, TRUE, NONE, NONE}, UNTIMED, UNTIMED, 5,
      FALSE, TAKE},
  {"times on one side", {AT (100), TRUE, 100, 100}, UNTIMED, AT (100), 5,
      FALSE, NO_TIME},
  {"by running time", {AT (103), FALSE, 0, 0}, AT (100), AT (97), 5, FALSE,
      TAKE},
  {"too far apart", {AT (106), FALSE, 0, 0}, AT (100), AT (100), 5, FALSE,
      DROP_LEFT},
  {"map too early", {AT (94), FALSE, 0, 0}, AT (100), AT (100), 5, FALSE,
      DROP_MAP},
  {"right one too early", {AT (100), FALSE, 0, 0}, AT (100), AT (90), 5, FALSE,
      DROP_RIGHT},
  {"no right one", {AT (100), FALSE, 0, 0}, AT (100), AT (110), 5, FALSE,
      DROP_LEFT},
  {"by arrival", {UNTIMED, FALSE, 0, 0}, UNTIMED, UNTIMED, 5, FALSE, TAKE},
  {"a map without a time", {UNTIMED, FALSE, 0, 0}, AT (1), AT (1), 5, FALSE,
      NO_TIME},
  {"no left image", {AT (100), TRUE, 100, 100}, GAP (90, 10), AT (100), 5,
      FALSE, DROP_LEFT},
  {"no right image", {AT (100), TRUE, 100, 100}, AT (100), GAP (90, 10), 5,
      FALSE, DROP_RIGHT},
  {"an unmatched left image", {GAP (100, NONE), TRUE, 100, 103}, AT (100),
      AT (103), 5, FALSE, DROP_LEFT},
  {"a left image before an unmatched one", {GAP (100, NONE), TRUE, 100, 103},
      AT (90), AT (103), 5, FALSE, DROP_LEFT},
  {"an unmatched right image", {GAP (100, NONE), TRUE, 100, 103}, AT (110),
      AT (103), 5, FALSE, DROP_RIGHT},
  {"a right image that is early", {GAP (100, NONE), TRUE, 100, 87}, AT (110),
      AT (97), 5, FALSE, DROP_MAP},
  {"images after unmatched ones", {GAP (100, NONE), TRUE, 100, 103}, AT (110),
      AT (113), 5, FALSE, DROP_MAP},
  {"an unmatched image of one view", {GAP (100, NONE), TRUE, 100, 103},
      AT (100), NOTHING, 5, FALSE, DROP_LEFT},
  {"one view after an unmatched pair", {GAP (100, NONE), TRUE, 100, 103},
      AT (110), NOTHING, 5, FALSE, DROP_MAP},
  {"unmatched backwards", {GAP (100, NONE), TRUE, 100, 100}, AT (110),
      AT (110), 5, TRUE, DROP_LEFT},
  {"only a left image is unmatched", {GAP (100, NONE), TRUE, 100, NONE},
      AT (110), AT (90), 5, FALSE, DROP_MAP},
  {"only a right image is unmatched", {GAP (100, NONE), TRUE, NONE, 100},
      AT (90), AT (100), 5, FALSE, DROP_RIGHT},
  {"an unmatched image and one without a time", {GAP (100, NONE), TRUE, 100,
          NONE}, UNTIMED, UNTIMED, 5, FALSE, DROP_MAP},
  {"no map of a left image", {GAP (95, 10), FALSE, 0, 0}, AT (100), AT (100),
      5, FALSE, DROP_LEFT},
  {"no map of a right image", {GAP (95, 10), FALSE, 0, 0}, AT (105), AT (100),
      5, FALSE, DROP_RIGHT},
  {"images beyond the gap", {GAP (95, 10), FALSE, 0, 0}, AT (105), AT (110), 5,
      FALSE, DROP_MAP},
  {"no map, one view", {GAP (95, 10), FALSE, 0, 0}, AT (105), NOTHING, 5,
      FALSE, DROP_MAP},
  {"no map, images without times", {GAP (95, 10), FALSE, 0, 0}, UNTIMED,
      UNTIMED, 5, FALSE, DROP_MAP},
  {"a gap without a time", {GAP (NONE, 10), FALSE, 0, 0}, AT (100), AT (100), 5,
      FALSE, DROP_MAP},
  {"a gap of unknown duration, before it", {GAP (95, NONE), FALSE, 0, 0},
      AT (94), AT (110), 5, FALSE, DROP_LEFT},
  {"a gap of unknown duration, at it", {GAP (95, NONE), FALSE, 0, 0}, AT (95),
      AT (110), 5, FALSE, DROP_LEFT},
  {"a gap of unknown duration, after it", {GAP (95, NONE), FALSE, 0, 0},
      AT (96), AT (110), 5, FALSE, DROP_MAP},
};

TEST (test_table)
{
  for (size_t i = 0; i < sizeof (rows) / sizeof (rows[0]); i++) {
    GstStereoMapSync got = gst_stereo_map_sync (&rows[i].map, &rows[i].left,
        &rows[i].right, rows[i].tolerance, rows[i].backwards);

    if (got != rows[i].expected)
      fprintf (stderr, "%s: %d, not %d\n", rows[i].what, (int) got,
          (int) rows[i].expected);
    CHECK (got == rows[i].expected);
  }
}

TEST_MAIN ()
