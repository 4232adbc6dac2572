/* gst-stereomatching: calibration files in YAML
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "elements/gststereocalibration.h"

#include <math.h>
#include <string.h>

#ifdef STEREO_HAVE_YAML
#include <yaml.h>

/* A document, and where to say what is wrong with it. */
typedef struct
{
  yaml_document_t document;
  const gchar *name;
  StereoMessage *why;
} File;

/* ------------------------------------------------------------------- nodes */

static gsize
line_of (const yaml_node_t * node)
{
  return node->start_mark.line + 1;
}

static const gchar *
text_of (const yaml_node_t * node)
{
  return node != NULL && node->type == YAML_SCALAR_NODE
      ? (const gchar *) node->data.scalar.value : NULL;
}

/* What a mapping has for a key, or NULL. */
static yaml_node_t *
member (File * file, const yaml_node_t * map, const gchar * key)
{
  if (map == NULL || map->type != YAML_MAPPING_NODE)
    return NULL;
  for (yaml_node_pair_t * p = map->data.mapping.pairs.start;
      p < map->data.mapping.pairs.top; p++) {
    if (g_strcmp0 (text_of (yaml_document_get_node (&file->document, p->key)),
            key) == 0)
      return yaml_document_get_node (&file->document, p->value);
  }
  return NULL;
}

/* The same for the first of several names that is there. */
static yaml_node_t *
member_of (File * file, const yaml_node_t * map, const gchar * const *keys)
{
  yaml_node_t *node = NULL;

  for (; *keys != NULL && node == NULL; keys++)
    node = member (file, map, *keys);
  return node;
}

/* Adds the numbers of a scalar, or of a list of lists, to an array of max. */
static gboolean
collect (File * file, const yaml_node_t * node, gdouble * numbers, guint max,
    guint * n, guint depth)
{
  const gchar *text = text_of (node);
  gchar *end = NULL;

  if (text != NULL && *n < max) {
    numbers[*n] = g_ascii_strtod (text, &end);
    if (end != text && *end == '\0' && isfinite (numbers[*n])) {
      ++*n;
      return TRUE;
    }
    return gst_stereo_calibration_fail (file->why, file->name, line_of (node),
        "'%.40s' is no number", text);
  }
  if (text != NULL)
    return gst_stereo_calibration_fail (file->why, file->name, line_of (node),
        "there are more than %u numbers", max);
  if (node->type != YAML_SEQUENCE_NODE || depth == 0)
    return gst_stereo_calibration_fail (file->why, file->name, line_of (node),
        "here should be a list of numbers");
  for (yaml_node_item_t * i = node->data.sequence.items.start;
      i < node->data.sequence.items.top; i++) {
    if (!collect (file, yaml_document_get_node (&file->document, *i), numbers,
            max, n, depth - 1))
      return FALSE;
  }
  return TRUE;
}

/* The numbers of a matrix: a list, or a mapping with one called data. */
static gboolean
read_numbers (File * file, const yaml_node_t * node, gdouble * numbers,
    guint max, guint * n)
{
  yaml_node_t *data = member (file, node, "data");

  *n = 0;
  return collect (file, data != NULL ? data : node, numbers, max, n, 2);
}

/* Exactly so many. */
static gboolean
read_matrix (File * file, const yaml_node_t * node, const gchar * what,
    gdouble * numbers, guint wanted)
{
  guint n;

  if (!read_numbers (file, node, numbers, wanted, &n))
    return FALSE;
  if (n == wanted)
    return TRUE;
  return gst_stereo_calibration_fail (file->why, file->name, line_of (node),
      "%s has %u numbers instead of %u", what, n, wanted);
}

static gboolean
read_size (File * file, const yaml_node_t * node, gint * size)
{
  gdouble number;
  guint n;

  if (!read_numbers (file, node, &number, 1, &n))
    return FALSE;
  if (n == 1 && number >= 1 && number <= STEREO_MAX_SIZE
      && number == floor (number)) {
    *size = (gint) number;
    return TRUE;
  }
  return gst_stereo_calibration_fail (file->why, file->name, line_of (node),
      "the size of an image is from 1 to %d", STEREO_MAX_SIZE);
}

/* ----------------------------------------------------------------- cameras */

static gboolean
set_intrinsics (File * file, const yaml_node_t * node, const gdouble k[9],
    StereoCamera * camera)
{
  camera->fx = k[0];
  camera->fy = k[4];
  camera->cx = k[2];
  camera->cy = k[5];
  if (camera->fx > 0 && camera->fy > 0)
    return TRUE;
  return gst_stereo_calibration_fail (file->why, file->name, line_of (node),
      "the focal length in a camera matrix has to be above 0, not %g and %g",
      k[0], k[4]);
}

/* What files call a model, and how many coefficients it may have. */
static const struct
{
  const gchar *name;
  StereoLens lens;
  guint max;
} models[] = {
  {"plumb_bob", STEREO_LENS_BROWN, 5},
  {"rational_polynomial", STEREO_LENS_BROWN, 14},
  {"radtan", STEREO_LENS_BROWN, 5},
  {"none", STEREO_LENS_BROWN, 0},
  {"equidistant", STEREO_LENS_FISHEYE, 4},
  {"fisheye", STEREO_LENS_FISHEYE, 4},
};

static gboolean
set_model (File * file, const yaml_node_t * node, const gchar * name,
    guint n, StereoCamera * camera)
{
  for (guint i = 0; i < G_N_ELEMENTS (models); i++) {
    if (strcmp (models[i].name, name) != 0)
      continue;
    camera->lens = models[i].lens;
    if (n <= models[i].max)
      return TRUE;
    return gst_stereo_calibration_fail (file->why, file->name, line_of (node),
        "%u coefficients are too many for the distortion model %s: it has %u",
        n, name, models[i].max);
  }
  return gst_stereo_calibration_fail (file->why, file->name, line_of (node),
      "the distortion model %.40s is not known here: plumb_bob, "
      "rational_polynomial, radtan, equidistant, fisheye and none are", name);
}

/* Coefficients, of this model; NULL is OpenCV's own, by their number. */
static gboolean
read_distortion (File * file, const yaml_node_t * node, const gchar * model,
    StereoCamera * camera)
{
  gdouble numbers[14] = { 0, };
  guint n = 0;

  if (node == NULL)
    return TRUE;
  if (!read_numbers (file, node, numbers, 14, &n)
      || !set_model (file, node, model != NULL ? model : "rational_polynomial",
          n, camera))
    return FALSE;
  if (numbers[12] != 0 || numbers[13] != 0)
    return gst_stereo_calibration_fail (file->why, file->name, line_of (node),
        "a tilted sensor (coefficients 13 and 14) is not known here: "
        "calibrate without CALIB_TILTED_MODEL");
  memcpy (camera->k, numbers, sizeof (camera->k));
  return TRUE;
}

/* ------------------------------------------------------------------ OpenCV */

/* Without what is not there, so that a pair of files can be merged. */
static gboolean
add_opencv_camera (File * file, const yaml_node_t * root, gint view,
    StereoCalibration * c)
{
  static const gchar *const matrices[2][4] = {
    {"M1", "cameraMatrix1", "K1", NULL}, {"M2", "cameraMatrix2", "K2", NULL}
  };
  static const gchar *const distortions[2][3] = {
    {"D1", "distCoeffs1", NULL}, {"D2", "distCoeffs2", NULL}
  };
  static const gchar *const rotations[2] = { "R1", "R2" };
  static const gchar *const projections[2] = { "P1", "P2" };
  yaml_node_t *m = member_of (file, root, matrices[view]);
  yaml_node_t *d = member_of (file, root, distortions[view]);
  yaml_node_t *r = member (file, root, rotations[view]);
  yaml_node_t *p = member (file, root, projections[view]);
  const gchar *model = text_of (member (file, root, "distortion_model"));
  gdouble k[9];

  if (m != NULL) {
    if (!read_matrix (file, m, "a camera matrix", k, 9)
        || !set_intrinsics (file, m, k, &c->camera[view]))
      return FALSE;
    c->has_camera[view] = TRUE;
  }
  if (!read_distortion (file, d, model, &c->camera[view]))
    return FALSE;
  if (r == NULL || p == NULL)
    return TRUE;
  c->has_rectification[view] = TRUE;
  return read_matrix (file, r, "a rectification matrix", c->rectifying[view],
      9) && read_matrix (file, p, "a projection matrix", c->projection[view],
      12);
}

static gboolean
add_opencv (File * file, const yaml_node_t * root, gdouble unit,
    StereoCalibration * c)
{
  yaml_node_t *r = member (file, root, "R"), *t = member (file, root, "T");
  yaml_node_t *width = member (file, root, "image_width");
  yaml_node_t *height = member (file, root, "image_height");

  for (gint v = 0; v < STEREO_N_VIEWS; v++) {
    if (!add_opencv_camera (file, root, v, c))
      return FALSE;
    if (width != NULL && height != NULL
        && (!read_size (file, width, &c->camera[v].width)
            || !read_size (file, height, &c->camera[v].height)))
      return FALSE;
  }
  c->unit = unit;
  if (r == NULL || t == NULL)
    return TRUE;
  c->has_pose = TRUE;
  return read_matrix (file, r, "the rotation R", c->rotation, 9)
      && read_matrix (file, t, "the translation T", c->translation, 3);
}

/* --------------------------------------------------------------------- ROS */

static gboolean
add_ros (File * file, const yaml_node_t * root, StereoCalibration * c)
{
  static const gchar *const names[] = { "camera_matrix", "image_width",
    "image_height", "rectification_matrix", "projection_matrix"
  };
  yaml_node_t *nodes[G_N_ELEMENTS (names)], *model;
  gdouble k[9], p[12];
  StereoCamera *camera;
  gint view;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    nodes[i] = member (file, root, names[i]);
    if (nodes[i] == NULL)
      return gst_stereo_calibration_fail (file->why, file->name, line_of
          (root), "a camera_info has a %s, which is missing", names[i]);
  }
  if (!read_matrix (file, nodes[4], "the projection_matrix", p, 12))
    return FALSE;
  /* that of the right camera has the baseline in it */
  view = p[3] == 0 ? STEREO_LEFT : STEREO_RIGHT;
  camera = &c->camera[view];
  if (c->has_camera[view])
    return gst_stereo_calibration_fail (file->why, file->name, line_of
        (nodes[4]), "this is a second %s camera: the fourth number of the "
        "projection_matrix is %s", view == STEREO_LEFT ? "left" : "right",
        view == STEREO_LEFT ? "0, as of a left one" : "not 0, as of a right "
        "one");
  model = member (file, root, "distortion_model");
  if (!read_matrix (file, nodes[0], "the camera_matrix", k, 9)
      || !set_intrinsics (file, nodes[0], k, camera)
      || !read_size (file, nodes[1], &camera->width)
      || !read_size (file, nodes[2], &camera->height)
      || !read_matrix (file, nodes[3], "the rectification_matrix",
          c->rectifying[view], 9)
      || !read_distortion (file, member (file, root,
              "distortion_coefficients"), text_of (model), camera))
    return FALSE;
  memcpy (c->projection[view], p, sizeof (p));
  c->has_camera[view] = c->has_rectification[view] = TRUE;
  return TRUE;
}

/* ------------------------------------------------------------------ Kalibr */

static gboolean
read_kalibr_camera (File * file, const yaml_node_t * node,
    StereoCamera * camera)
{
  yaml_node_t *kind = member (file, node, "camera_model");
  yaml_node_t *intrinsics = member (file, node, "intrinsics");
  yaml_node_t *resolution = member (file, node, "resolution");
  const gchar *model = text_of (member (file, node, "distortion_model"));
  gdouble numbers[4], size[2];

  if (kind == NULL || intrinsics == NULL || resolution == NULL)
    return gst_stereo_calibration_fail (file->why, file->name, line_of (node),
        "a camera has a camera_model, intrinsics and a resolution");
  if (g_strcmp0 (text_of (kind), "pinhole") != 0)
    return gst_stereo_calibration_fail (file->why, file->name, line_of (kind),
        "the camera model %.40s is not known here: calibrate with pinhole-"
        "radtan or pinhole-equi", text_of (kind) ? text_of (kind) : "(none)");
  if (!read_matrix (file, intrinsics, "intrinsics", numbers, 4)
      || !read_matrix (file, resolution, "the resolution", size, 2)
      || !read_distortion (file, member (file, node, "distortion_coeffs"),
          model != NULL ? model : "none", camera))
    return FALSE;
  if (!(numbers[0] > 0 && numbers[1] > 0 && size[0] >= 1 && size[1] >= 1
          && size[0] <= STEREO_MAX_SIZE && size[1] <= STEREO_MAX_SIZE))
    return gst_stereo_calibration_fail (file->why, file->name, line_of (node),
        "focal lengths and the resolution have to be above 0");
  camera->fx = numbers[0];
  camera->fy = numbers[1];
  camera->cx = numbers[2];
  camera->cy = numbers[3];
  camera->width = (gint) size[0];
  camera->height = (gint) size[1];
  return TRUE;
}

/* The pose of cam1: of the right camera, or of the left one. */
static void
set_kalibr_pose (const gdouble t[16], StereoCalibration * c)
{
  StereoCamera first = c->camera[0];

  for (guint i = 0; i < 9; i++)
    c->rotation[i] = t[i / 3 * 4 + i % 3];
  for (guint i = 0; i < 3; i++)
    c->translation[i] = t[4 * i + 3];
  c->has_pose = TRUE;
  if (t[3] <= 0)
    return;
  /* X0 = R' X1 - R' T */
  for (guint i = 0; i < 3; i++) {
    c->translation[i] = -(t[i] * t[3] + t[4 + i] * t[7] + t[8 + i] * t[11]);
    for (guint j = 0; j < 3; j++)
      c->rotation[3 * i + j] = t[4 * j + i];
  }
  c->camera[0] = c->camera[1];
  c->camera[1] = first;
}

static gboolean
add_kalibr (File * file, const yaml_node_t * root, StereoCalibration * c)
{
  static const gchar *const names[] = { "cam0", "cam1" };
  yaml_node_t *pose;
  gdouble t[16];

  for (gint v = 0; v < STEREO_N_VIEWS; v++) {
    yaml_node_t *node = member (file, root, names[v]);

    if (node == NULL)
      return gst_stereo_calibration_fail (file->why, file->name, line_of
          (root), "there is no %s: the file has to be of two cameras",
          names[v]);
    if (!read_kalibr_camera (file, node, &c->camera[v]))
      return FALSE;
    c->has_camera[v] = TRUE;
  }
  pose = member (file, member (file, root, "cam1"), "T_cn_cnm1");
  if (pose == NULL)
    return gst_stereo_calibration_fail (file->why, file->name, line_of
        (member (file, root, "cam1")), "cam1 has no T_cn_cnm1");
  if (!read_matrix (file, pose, "T_cn_cnm1", t, 16))
    return FALSE;
  set_kalibr_pose (t, c);
  c->unit = 1;
  return TRUE;
}

/* --------------------------------------------------------------------- file */

static gboolean
add_document (File * file, gdouble unit, StereoCalibration * c)
{
  static const gchar *const opencv[] = { "M1", "M2", "cameraMatrix1",
    "cameraMatrix2", "K1", "K2", "R", "T", "R1", "R2", NULL
  };
  yaml_node_t *root = yaml_document_get_root_node (&file->document);

  if (root == NULL || root->type != YAML_MAPPING_NODE)
    return gst_stereo_calibration_fail (file->why, file->name, 1,
        "this is no calibration: it has no names with values");
  if (member (file, root, "camera_matrix") != NULL
      && member (file, root, "projection_matrix") != NULL)
    return add_ros (file, root, c);
  if (member (file, root, "cam0") != NULL)
    return add_kalibr (file, root, c);
  if (member_of (file, root, opencv) != NULL)
    return add_opencv (file, root, unit, c);
  return gst_stereo_calibration_fail (file->why, file->name, line_of (root),
      "this is no calibration that is known here: OpenCV's has M1 or R, ROS' "
      "a camera_matrix and a projection_matrix, Kalibr's a cam0");
}

gboolean
gst_stereo_calibration_add_yaml (StereoCalibration * calibration,
    const gchar * name, const gchar * text, gsize size, gdouble unit,
    StereoMessage * why)
{
  File file = {.name = name,.why = why };
  gchar *copy = g_strndup (text, size);
  yaml_parser_t parser;
  gboolean ok;

  /* OpenCV's first line is nothing that YAML knows. */
  if (g_str_has_prefix (copy, "%YAML:"))
    copy[0] = '#';
  if (!yaml_parser_initialize (&parser)) {
    g_free (copy);
    return gst_stereo_calibration_fail (why, name, 0, "out of memory");
  }
  yaml_parser_set_input_string (&parser, (const unsigned char *) copy,
      strlen (copy));
  ok = yaml_parser_load (&parser, &file.document) != 0;
  if (ok) {
    ok = add_document (&file, unit, calibration);
    yaml_document_delete (&file.document);
  } else {
    gst_stereo_calibration_fail (why, name, parser.problem_mark.line + 1,
        "this is no YAML: %s", parser.problem ? parser.problem
        : "out of memory");
  }
  yaml_parser_delete (&parser);
  g_free (copy);
  return ok;
}

#else /* !STEREO_HAVE_YAML */

gboolean
gst_stereo_calibration_add_yaml (StereoCalibration * calibration,
    const gchar * name, const gchar * text, gsize size, gdouble unit,
    StereoMessage * why)
{
  return gst_stereo_calibration_fail (why, name, 0, "this build can't read "
      "YAML: install libyaml (libyaml-dev) and build again; a ZED camera's "
      ".conf file can be read without it");
}

#endif
