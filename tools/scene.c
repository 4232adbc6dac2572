/* gst-stereomatching: scenes with ground truth
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "scene.h"
#include "cli.h"
#include "platform.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *const scene_region_names[SCENE_N_REGIONS] = {
  "nonocc", "all", "disc"
};

const char *const scene_v2_names[SCENE_N_V2] = {
  "tsukuba", "venus", "teddy", "cones"
};

typedef struct
{
  const char *left, *right, *occ, *noc;
} KittiLayout;

static const KittiLayout kitti_layouts[] = {
  {"image_2", "image_3", "disp_occ_0", "disp_noc_0"},
  {"colored_0", "colored_1", "disp_occ", "disp_noc"},
  {"image_0", "image_1", "disp_occ", "disp_noc"},
};

#define N_LAYOUTS ((int) (sizeof (kitti_layouts) / sizeof (kitti_layouts[0])))

static bool
is_folder (const char *path)
{
  struct stat status;

  return stat (path, &status) == 0 && S_ISDIR (status.st_mode);
}

/* FOLDER/NAME exists. */
static bool
has (const char *folder, const char *name)
{
  char *path = cli_format ("%s/%s", folder, name);
  bool result = cli_exists (path);

  free (path);
  return result;
}

/* FOLDER/NAME with the first extension that exists; else .png. */
static char *
find_image (const char *folder, const char *name)
{
  static const char *const extensions[] = { "png", "ppm", "pgm", "jpg", "jpeg"
  };

  for (size_t i = 0; i < sizeof (extensions) / sizeof (extensions[0]); i++) {
    char *path = cli_format ("%s/%s.%s", folder, name, extensions[i]);

    if (cli_exists (path))
      return path;
    free (path);
  }
  return cli_format ("%s/%s.png", folder, name);
}

static bool
has_image (const char *folder, const char *name)
{
  char *path = find_image (folder, name);
  bool result = cli_exists (path);

  free (path);
  return result;
}

/* -------------------------------------------------------------------- list */

static char *
copy_or_null (const char *text)
{
  return text != NULL ? cli_format ("%s", text) : NULL;
}

static bool
has_name (const SceneList * list, const char *name)
{
  for (size_t i = 0; i < list->n; i++) {
    if (strcmp (list->item[i].name, name) == 0)
      return true;
  }
  return false;
}

/* Takes ownership of the strings of source.  Numbers its name if the list has
 * it. */
static void
append_source (SceneList * list, SceneSource source)
{
  char *plain = source.name;

  source.name = cli_format ("%s", plain);
  for (unsigned number = 2; has_name (list, source.name); number++) {
    free (source.name);
    source.name = cli_format ("%s-%u", plain, number);
  }
  free (plain);
  list->item = cli_resize (list->item, (list->n + 1) * sizeof (*list->item));
  list->item[list->n++] = source;
}

void
scene_list_add_files (SceneList * list, const SceneSource * source)
{
  SceneSource copy = *source;

  copy.kind = SCENE_KIND_FILES;
  copy.name = copy_or_null (source->name);
  copy.left = copy_or_null (source->left);
  copy.right = copy_or_null (source->right);
  copy.truth = copy_or_null (source->truth);
  copy.folder = copy.file = NULL;
  append_source (list, copy);
}

void
scene_list_clear (SceneList * list)
{
  for (size_t i = 0; i < list->n; i++) {
    free (list->item[i].name);
    free (list->item[i].folder);
    free (list->item[i].file);
    free (list->item[i].left);
    free (list->item[i].right);
    free (list->item[i].truth);
  }
  free (list->item);
  memset (list, 0, sizeof (*list));
}

static int
v2_rank (const char *name)
{
  int i = 0;

  while (i < SCENE_N_V2 && strcmp (scene_v2_names[i], name) != 0)
    i++;
  return i;
}

static int
compare_names (const void *a, const void *b)
{
  const char *first = *(char *const *) a, *second = *(char *const *) b;
  int rank = v2_rank (first) - v2_rank (second);

  return rank != 0 ? rank : strcmp (first, second);
}

/* The visible names in a folder, sorted. */
static bool
list_folder (const char *path, char ***names, size_t *n, StereoMessage * why)
{
  DIR *folder = opendir (path);
  struct dirent *entry;

  *names = NULL;
  *n = 0;
  if (folder == NULL)
    return image_fail (why, path, "cannot be listed: %s", strerror (errno));
  while ((entry = readdir (folder)) != NULL) {
    if (entry->d_name[0] == '.')
      continue;
    *names = cli_resize (*names, (*n + 1) * sizeof (**names));
    (*names)[(*n)++] = cli_format ("%s", entry->d_name);
  }
  closedir (folder);
  if (*n > 0)
    qsort (*names, *n, sizeof (**names), compare_names);
  return true;
}

static void
free_names (char **names, size_t n)
{
  for (size_t i = 0; i < n; i++)
    free (names[i]);
  free (names);
}

/* Where the last part of a path begins; *length is without separators at the
 * end. */
static size_t
find_last_part (const char *path, size_t *length)
{
  size_t end = strlen (path), start;

  while (end > 0 && platform_is_separator (path[end - 1]))
    end--;
  for (start = end; start > 0 && !platform_is_separator (path[start - 1]);
      start--);
  *length = end - start;
  return start;
}

static char *
base_name (const char *path)
{
  size_t length, start = find_last_part (path, &length);

  return cli_format ("%.*s", (int) length, path + start);
}

/* The name of a folder; of "." and ".." that of their real path. */
static char *
folder_name (const char *path)
{
  char *name = base_name (path);

  if (strcmp (name, ".") == 0 || strcmp (name, "..") == 0) {
    char *whole = platform_real_path (path);

    if (whole != NULL) {
      free (name);
      name = base_name (whole);
      free (whole);
    }
  }
  return name;
}

static bool
add_kitti (SceneList * list, const char *path, int layout, StereoMessage * why)
{
  char *folder = cli_format ("%s/%s", path, kitti_layouts[layout].left);
  char **names;
  size_t n, added = 0;
  bool good = list_folder (folder, &names, &n, why);

  for (size_t i = 0; good && i < n; i++) {
    size_t length = strlen (names[i]);
    SceneSource source;

    if (length < 8 || (strcmp (names[i] + length - 7, "_10.png") != 0
            && strcmp (names[i] + length - 7, "_10.jpg") != 0))
      continue;
    memset (&source, 0, sizeof (source));
    source.kind = SCENE_KIND_KITTI;
    source.name = cli_format ("%.*s", (int) length - 4, names[i]);
    source.folder = cli_format ("%s", path);
    source.file = cli_format ("%s", names[i]);
    source.layout = layout;
    append_source (list, source);
    added++;
  }
  free_names (names, n);
  if (good && added == 0)
    good = image_fail (why, folder, "has no *_10.png");
  free (folder);
  return good;
}

/* *none: the folder is not a scene, and nothing was added. */
static bool
add_folder (SceneList * list, const char *path, bool *none, StereoMessage * why)
{
  SceneSource source;

  *none = false;
  memset (&source, 0, sizeof (source));
  if (has (path, "scene.ini")) {
    source.kind = SCENE_KIND_INI;
  } else if (has_image (path, "im0")) {
    source.kind = SCENE_KIND_MIDDLEBURY;
  } else {
    for (int i = 0; i < N_LAYOUTS; i++) {
      if (has (path, kitti_layouts[i].left)
          && has (path, kitti_layouts[i].right))
        return add_kitti (list, path, i, why);
    }
    *none = true;
    return true;
  }
  source.name = folder_name (path);
  source.folder = cli_format ("%s", path);
  append_source (list, source);
  return true;
}

bool
scene_list_add (SceneList * list, const char *path, StereoMessage * why)
{
  char **names;
  size_t n;
  bool none, good, any = false;

  if (!is_folder (path))
    return image_fail (why, path, cli_exists (path) ?
        "is not a folder; use --left and --right for single images" :
        "no such folder");
  if (!add_folder (list, path, &none, why))
    return false;
  if (!none)
    return true;

  if (!list_folder (path, &names, &n, why))
    return false;
  good = true;
  for (size_t i = 0; good && i < n; i++) {
    char *folder = cli_format ("%s/%s", path, names[i]);

    if (is_folder (folder)) {
      good = add_folder (list, folder, &none, why);
      any |= !none;
    }
    free (folder);
  }
  free_names (names, n);
  if (good && !any)
    return image_fail (why, path, "contains no scene: expected scene.ini, "
        "im0 and im1, or image_2 and image_3");
  return good;
}

/* ----------------------------------------------------------------- reading */

/* Reads one view.  The first one sets the size of the scene, or the part of it
 * that scene.ini lacks. */
static bool
load_view (const char *path, Scene * scene, Image * image, StereoMessage * why)
{
  if (!image_read_view (path, image, why))
    return false;
  if (scene->width == 0)
    scene->width = image->width;
  if (scene->height == 0)
    scene->height = image->height;
  if (image->width != scene->width || image->height != scene->height)
    return image_fail (why, path, "expected %dx%d pixels, got %dx%d",
        scene->width, scene->height, image->width, image->height);
  return true;
}

static bool
load_views (const char *left, const char *right, Scene * scene,
    StereoMessage * why)
{
  scene->has_views = load_view (left, scene, &scene->left, why)
      && load_view (right, scene, &scene->right, why);
  return scene->has_views;
}

static bool
load_truth (const char *path, double scale, const double *invalid,
    Scene * scene, StereoMessage * why)
{
  return image_read_map (path, scale, "--truth-scale", invalid, &scene->width,
      &scene->height, &scene->truth, why);
}

/* The region where a mask is 255. */
static bool
load_mask (const char *path, Scene * scene, SceneRegion region,
    StereoMessage * why)
{
  const double none = NAN;
  size_t n = (size_t) scene->width * (size_t) scene->height;
  float *values, most = 0;

  if (!image_read_map (path, 1, NULL, &none, &scene->width, &scene->height,
          &values, why))
    return false;
  scene->region[region] = cli_resize (NULL, n);
  for (size_t i = 0; i < n; i++) {
    scene->region[region][i] = values[i] == 255 ? 255 : 0;
    most = fmaxf (most, values[i]);
  }
  free (values);
  if (most == 1 || most > 255)
    return image_fail (why, path, "has %s; expected a mask with 255 where a "
        "pixel counts", most == 1 ? "no values but 0 and 1"
        : "more than 8 bits");
  return true;
}

/* The region where a map has a disparity. */
static void
set_region (Scene * scene, SceneRegion region, const float *map)
{
  size_t n = (size_t) scene->width * (size_t) scene->height;

  scene->region[region] = cli_resize (NULL, n);
  for (size_t i = 0; i < n; i++)
    scene->region[region][i] = isfinite (map[i]) ? 255 : 0;
}

/* Removes blanks at both ends, in place. */
static char *
strip (char *text)
{
  size_t n;

  while (*text == ' ' || *text == '\t')
    text++;
  n = strlen (text);
  while (n > 0 && strchr (" \t\r\n", text[n - 1]) != NULL)
    text[--n] = '\0';
  return text;
}

/* Skips the byte order mark that some editors write first. */
static char *
skip_mark (char *text)
{
  return strncmp (text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text;
}

typedef struct
{
  const char *key;
  char value[64];               /* "" if missing */
} Setting;

/* Reads `key = value` lines into settings; section: only those of this section,
 * which must exist.  Other lines are errors. */
static bool
read_settings (const char *path, const char *section, Setting * settings,
    StereoMessage * why)
{
  FILE *file = fopen (path, "r");
  char line[4096];
  bool inside = section == NULL, seen = inside, good = true;

  if (file == NULL)
    return image_fail (why, path, "cannot be opened: %s", strerror (errno));
  for (unsigned number = 1; good && fgets (line, sizeof (line), file) != NULL;
      number++) {
    char *text = strip (number == 1 ? skip_mark (line) : line);
    char *equals = strchr (text, '=');
    size_t length = strlen (text);

    if (length == sizeof (line) - 1) {
      good = image_fail (why, path, "line %u is too long", number);
    } else if (length == 0 || text[0] == '#' || text[0] == ';') {
      continue;
    } else if (section != NULL && text[0] == '[' && text[length - 1] == ']') {
      text[length - 1] = '\0';
      inside = strcmp (text + 1, section) == 0;
      seen |= inside;
    } else if (equals == NULL) {
      good = image_fail (why, path, "line %u: expected key = value", number);
    } else if (inside) {
      *equals = '\0';
      for (Setting * s = settings; s->key != NULL; s++) {
        if (strcmp (s->key, strip (text)) == 0)
          snprintf (s->value, sizeof (s->value), "%s", strip (equals + 1));
      }
    }
  }
  if (good && ferror (file))
    good = image_fail (why, path, "cannot be read: %s", strerror (errno));
  else if (good && !seen)
    good = image_fail (why, path, "has no section [%s]", section);
  fclose (file);
  return good;
}

/* The number of a setting, from minimum to maximum; if it is missing or "none",
 * *value is kept. */
static bool
setting_number (const char *path, const Setting * setting, double minimum,
    double maximum, double *value, StereoMessage * why)
{
  char *end;
  double number;

  if (setting->value[0] == '\0' || strcmp (setting->value, "none") == 0)
    return true;
  number = strtod (setting->value, &end);
  if (*end != '\0' || !(number >= minimum && number <= maximum))
    return image_fail (why, path, "%s = %s: expected a number from %g to %g",
        setting->key, setting->value, minimum, maximum);
  *value = number;
  return true;
}

enum
{ INI_NDISP, INI_GT_SCALE, INI_GT_INVALID, INI_MASKS, INI_WIDTH, INI_HEIGHT };

/* The truth and its regions.  With masks all files must exist, otherwise each
 * one may. */
static bool
load_ini_truth (const SceneSource * source, bool masks, double scale,
    const double *invalid, Scene * scene, StereoMessage * why)
{
  char *path = find_image (source->folder, "disp_left");
  bool good = load_truth (path, scale, invalid, scene, why);

  free (path);
  for (int r = 0; good && r < SCENE_N_REGIONS; r++) {
    if (!masks && !has_image (source->folder, scene_region_names[r]))
      continue;
    path = find_image (source->folder, scene_region_names[r]);
    good = load_mask (path, scene, (SceneRegion) r, why);
    free (path);
  }
  if (good && scene->region[SCENE_ALL] == NULL)
    set_region (scene, SCENE_ALL, scene->truth);
  return good;
}

static bool
load_ini (const SceneSource * source, const char *ini, Scene * scene,
    StereoMessage * why)
{
  Setting s[] = { {"ndisp", ""}, {"gt_scale", ""}, {"gt_invalid", ""},
  {"masks", ""}, {"width", ""}, {"height", ""}, {NULL, ""}
  };
  double disparities = 0, scale = 0, invalid = NAN, width = 0, height = 0;
  bool masks, good;
  char *left, *right;

  if (!read_settings (ini, "scene", s, why))
    return false;
  if (s[INI_NDISP].value[0] == '\0')
    return image_fail (why, ini, "has no ndisp");
  if (!setting_number (ini, &s[INI_NDISP], 1, STEREO_MAX_SIZE, &disparities,
          why)
      || !setting_number (ini, &s[INI_GT_SCALE], 1e-6, 65536, &scale, why)
      || !setting_number (ini, &s[INI_GT_INVALID], 0, 65535, &invalid, why)
      || !setting_number (ini, &s[INI_WIDTH], 1, STEREO_MAX_SIZE, &width, why)
      || !setting_number (ini, &s[INI_HEIGHT], 1, STEREO_MAX_SIZE, &height,
          why))
    return false;
  scene->disparities = (int) disparities;
  scene->width = (int) width;
  scene->height = (int) height;
  scene->official = strcmp (s[INI_MASKS].value, "official") == 0;

  left = find_image (source->folder, "left");
  right = find_image (source->folder, "right");
  good = load_views (left, right, scene, why);
  free (left);
  free (right);
  if (!good)
    return false;

  if (s[INI_GT_SCALE].value[0] == '\0'
      && has_image (source->folder, "disp_left"))
    return image_fail (why, ini, "has no gt_scale, but disp_left exists");
  masks = s[INI_MASKS].value[0] != '\0'
      && strcmp (s[INI_MASKS].value, "none") != 0;
  return scale == 0
      || load_ini_truth (source, masks, scale,
      s[INI_GT_INVALID].value[0] != '\0' ? &invalid : NULL, scene, why);
}

enum
{ CALIB_NDISP, CALIB_VMIN, CALIB_VMAX };

static bool
load_calib (const char *path, Scene * scene, StereoMessage * why)
{
  Setting s[] = { {"ndisp", ""}, {"vmin", ""}, {"vmax", ""}, {NULL, ""} };
  double disparities = 0;

  if (!cli_exists (path))
    return true;
  if (!read_settings (path, NULL, s, why)
      || !setting_number (path, &s[CALIB_NDISP], 1, STEREO_MAX_SIZE,
          &disparities, why)
      || !setting_number (path, &s[CALIB_VMIN], -STEREO_MAX_SIZE,
          STEREO_MAX_SIZE, &scene->shown_min, why)
      || !setting_number (path, &s[CALIB_VMAX], -STEREO_MAX_SIZE,
          STEREO_MAX_SIZE, &scene->shown_max, why))
    return false;
  scene->disparities = (int) disparities;
  return true;
}

/* FOLDER/NAME, where FOLDER is SET/SCENE; or SET_gt/SCENE/NAME if only that
 * exists. */
static char *
find_truth (const char *folder, const char *name)
{
  char *here = cli_format ("%s/%s", folder, name), *other;
  size_t length, start = find_last_part (folder, &length);

  if (cli_exists (here) || start < 2)
    return here;
  other = cli_format ("%.*s_gt/%.*s/%s", (int) start - 1, folder,
      (int) length, folder + start, name);
  if (!cli_exists (other)) {
    free (other);
    return here;
  }
  free (here);
  return other;
}

static bool
load_middlebury (const SceneSource * source, Scene * scene, StereoMessage * why)
{
  char *left = find_image (source->folder, "im0");
  char *right = find_image (source->folder, "im1");
  char *calib = cli_format ("%s/calib.txt", source->folder);
  char *truth = find_truth (source->folder,
      has (source->folder, "disp0.pfm") ? "disp0.pfm" : "disp0GT.pfm");
  char *mask = find_truth (source->folder, "mask0nocc.png");
  bool good = load_calib (calib, scene, why)
      && load_views (left, right, scene, why);

  if (good && cli_exists (truth)) {
    good = load_truth (truth, 0, NULL, scene, why);
    if (good)
      set_region (scene, SCENE_ALL, scene->truth);
    if (good && cli_exists (mask))
      good = load_mask (mask, scene, SCENE_NONOCC, why);
  }
  free (left);
  free (right);
  free (calib);
  free (truth);
  free (mask);
  return good;
}

static bool
load_kitti (const SceneSource * source, Scene * scene, StereoMessage * why)
{
  const KittiLayout *layout = &kitti_layouts[source->layout];
  char *left = cli_format ("%s/%s/%s", source->folder, layout->left,
      source->file);
  char *right = cli_format ("%s/%s/%s", source->folder, layout->right,
      source->file);
  /* disparities are PNG files, whatever the views are */
  const int stem = (int) strlen (source->file) - 4;
  char *occ = cli_format ("%s/%s/%.*s.png", source->folder, layout->occ, stem,
      source->file);
  char *noc = cli_format ("%s/%s/%.*s.png", source->folder, layout->noc, stem,
      source->file);
  bool good = load_views (left, right, scene, why);

  scene->disparities = SCENE_KITTI_DISPARITIES;
  /* the testing half of the benchmark has no truth */
  if (good && has (source->folder, layout->occ)) {
    good = load_truth (occ, 256, NULL, scene, why);
    if (good)
      set_region (scene, SCENE_ALL, scene->truth);
    if (good && has (source->folder, layout->noc)) {
      float *map;

      good = image_read_map (noc, 256, NULL, NULL, &scene->width,
          &scene->height, &map, why);
      if (good) {
        set_region (scene, SCENE_NONOCC, map);
        free (map);
      }
    }
  }
  free (left);
  free (right);
  free (occ);
  free (noc);
  return good;
}

static bool
load_files (const SceneSource * source, Scene * scene, StereoMessage * why)
{
  if (source->left != NULL
      && !load_views (source->left, source->right, scene, why))
    return false;
  if (source->truth != NULL) {
    if (!load_truth (source->truth, source->truth_scale,
            source->truth_invalid.given ? &source->truth_invalid.value : NULL,
            scene, why))
      return false;
    set_region (scene, SCENE_ALL, scene->truth);
  }
  return true;
}

bool
scene_load (const SceneSource * source, Scene * scene, StereoMessage * why)
{
  Scene result;
  bool good = false;
  char *ini;

  memset (&result, 0, sizeof (result));
  switch (source->kind) {
    case SCENE_KIND_INI:
      ini = cli_format ("%s/scene.ini", source->folder);
      good = load_ini (source, ini, &result, why);
      free (ini);
      break;
    case SCENE_KIND_MIDDLEBURY:
      good = load_middlebury (source, &result, why);
      break;
    case SCENE_KIND_KITTI:
      good = load_kitti (source, &result, why);
      break;
    case SCENE_KIND_FILES:
      good = load_files (source, &result, why);
      break;
  }
  if (good)
    *scene = result;
  else
    scene_clear (&result);
  return good;
}

void
scene_clear (Scene * scene)
{
  image_clear (&scene->left);
  image_clear (&scene->right);
  free (scene->truth);
  for (int r = 0; r < SCENE_N_REGIONS; r++)
    free (scene->region[r]);
  memset (scene, 0, sizeof (*scene));
}
