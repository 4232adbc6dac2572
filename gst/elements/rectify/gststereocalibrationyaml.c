/* gst-stereomatching: calibration files in YAML
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "elements/rectify/gststereocalibration.h"
#include "geometry/lens.h"
#include "geometry/matrix3.h"

#include <math.h>
#include <string.h>

#ifdef STEREO_HAVE_YAML
#include <yaml.h>

/* A document, and where to report its errors. */
typedef struct
{
  yaml_document_t document;
  const gchar *name;
  StereoMessage *why;
} GstStereoYamlFile;

/* Of a file.  Calibrations have four levels, and an anchor for each list that
 * PyYAML finds twice. */
#define MAX_DEPTH 16
#define MAX_NAMES 100

/* What has been counted in a file. */
typedef struct
{
  gint blocks;                  /* open levels by indentation */
  gint flows;                   /* open levels in brackets */
  gint names;                   /* anchors and tag directives */
} GstStereoYamlCount;

/* Reports an error at a node or a token; FALSE. */
#define FAIL(file, node, ...) \
    gst_stereo_calibration_fail ((file)->why, (file)->name, \
        (node)->start_mark.line + 1, __VA_ARGS__)

/* ------------------------------------------------------------------- nodes */

static const gchar *
get_text (const yaml_node_t * node)
{
  return node != NULL && node->type == YAML_SCALAR_NODE
      ? (const gchar *) node->data.scalar.value : NULL;
}

/* The value of a key in a mapping, or NULL. */
static yaml_node_t *
get_member (GstStereoYamlFile * file, const yaml_node_t * map,
    const gchar * key)
{
  if (map == NULL || map->type != YAML_MAPPING_NODE)
    return NULL;
  for (yaml_node_pair_t * p = map->data.mapping.pairs.start;
      p < map->data.mapping.pairs.top; p++) {
    if (g_strcmp0 (get_text (yaml_document_get_node (&file->document, p->key)),
            key) == 0)
      return yaml_document_get_node (&file->document, p->value);
  }
  return NULL;
}

/* The value of the first key that exists, or NULL. */
static yaml_node_t *
get_any_member (GstStereoYamlFile * file, const yaml_node_t * map,
    const gchar * const *keys)
{
  yaml_node_t *node = NULL;

  for (; *keys != NULL && node == NULL; keys++)
    node = get_member (file, map, *keys);
  return node;
}

/* Appends the numbers of a scalar, or of nested lists, to an array of max. */
static gboolean
append_numbers (GstStereoYamlFile * file, const yaml_node_t * node,
    gdouble * numbers, guint max, guint * n, guint depth)
{
  const gchar *text = get_text (node);
  gchar *end = NULL;

  if (text != NULL && *n < max) {
    numbers[*n] = g_ascii_strtod (text, &end);
    if (end != text && *end == '\0' && isfinite (numbers[*n])) {
      ++*n;
      return TRUE;
    }
    return FAIL (file, node, "expected a number, got '%.40s'", text);
  }
  if (text != NULL)
    return FAIL (file, node, "expected at most %u numbers", max);
  if (node->type != YAML_SEQUENCE_NODE || depth == 0)
    return FAIL (file, node, "expected a list of numbers");
  for (yaml_node_item_t * i = node->data.sequence.items.start;
      i < node->data.sequence.items.top; i++) {
    if (!append_numbers (file, yaml_document_get_node (&file->document, *i),
            numbers, max, n, depth - 1))
      return FALSE;
  }
  return TRUE;
}

/* The numbers of a matrix: a list, or a mapping with the list `data`. */
static gboolean
read_numbers (GstStereoYamlFile * file, const yaml_node_t * node,
    gdouble * numbers, guint max, guint * n)
{
  yaml_node_t *data = get_member (file, node, "data");

  *n = 0;
  return append_numbers (file, data != NULL ? data : node, numbers, max, n, 2);
}

/* Reads as many numbers as are wanted, and no more. */
static gboolean
read_matrix (GstStereoYamlFile * file, const yaml_node_t * node,
    const gchar * what, gdouble * numbers, guint wanted)
{
  guint n;

  if (!read_numbers (file, node, numbers, wanted, &n))
    return FALSE;
  if (n == wanted)
    return TRUE;
  return FAIL (file, node, "expected %u numbers in %s, got %u", wanted, what,
      n);
}

static gboolean
set_size (GstStereoYamlFile * file, const yaml_node_t * node, gdouble number,
    gint * size)
{
  if (!(number >= 1 && number <= STEREO_MAX_SIZE && number == floor (number)))
    return FAIL (file, node, "expected an image size from 1 to %d",
        STEREO_MAX_SIZE);
  *size = (gint) number;
  return TRUE;
}

static gboolean
read_size (GstStereoYamlFile * file, const yaml_node_t * node, gint * size)
{
  gdouble number;
  guint n;

  return read_numbers (file, node, &number, 1, &n)
      && set_size (file, node, n == 1 ? number : 0, size);
}

/* ----------------------------------------------------------------- cameras */

static gboolean
set_intrinsics (GstStereoYamlFile * file, const yaml_node_t * node,
    const gdouble k[9], StereoCamera * camera)
{
  camera->fx = k[0];
  camera->fy = k[4];
  camera->cx = k[2];
  camera->cy = k[5];
  if (camera->fx > 0 && camera->fy > 0)
    return TRUE;
  return FAIL (file, node,
      "expected focal lengths above 0 in the camera matrix, got %g and %g",
      k[0], k[4]);
}

/* Distortion models, and their maximum number of coefficients. */
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
set_model (GstStereoYamlFile * file, const yaml_node_t * node,
    const gchar * name, guint n, StereoCamera * camera)
{
  for (guint i = 0; i < G_N_ELEMENTS (models); i++) {
    if (strcmp (models[i].name, name) != 0)
      continue;
    camera->lens = models[i].lens;
    if (n <= models[i].max)
      return TRUE;
    return FAIL (file, node,
        "expected at most %u coefficients for the distortion model %s, got %u",
        models[i].max, name, n);
  }
  return FAIL (file, node,
      "expected the distortion model plumb_bob, rational_polynomial, radtan, "
      "equidistant, fisheye or none, got %.40s", name);
}

/* Reads the coefficients of a model; NULL = OpenCV's model, by their number.
 * The model and the coefficients may be in two files. */
static gboolean
read_distortion (GstStereoYamlFile * file, const yaml_node_t * node,
    const gchar * model, StereoCamera * camera)
{
  gdouble numbers[14] = { 0, };
  guint n = 0;

  if (model == NULL)
    model = camera->lens == STEREO_LENS_FISHEYE ? "fisheye"
        : "rational_polynomial";
  if (node == NULL) {
    if (strcmp (model, "fisheye") == 0 || strcmp (model, "equidistant") == 0)
      camera->lens = STEREO_LENS_FISHEYE;
    return TRUE;
  }
  if (!read_numbers (file, node, numbers, 14, &n)
      || !set_model (file, node, model, n, camera))
    return FALSE;
  if (numbers[12] != 0 || numbers[13] != 0)
    return FAIL (file, node,
        "a tilted sensor (coefficients 13 and 14) is not supported: "
        "calibrate without CALIB_TILTED_MODEL");
  memcpy (camera->k, numbers, sizeof (camera->k));
  return TRUE;
}

/* Reports parameters that are not in the range of the model. */
static gboolean
check_lens (GstStereoYamlFile * file, const yaml_node_t * node,
    const StereoCamera * camera)
{
  StereoMessage why = { "" };

  if (stereo_lens_check (camera, &why) == STEREO_OK)
    return TRUE;
  return FAIL (file, node, "%s", why.text);
}

/* ------------------------------------------------------------------ OpenCV */

/* Adds xi1 or xi2 of cv::omnidir, whose camera matrix k has a skew. */
static gboolean
add_omnidir (GstStereoYamlFile * file, const yaml_node_t * root, gint view,
    const yaml_node_t * matrix, const gdouble k[9], const yaml_node_t * d,
    StereoCamera * camera)
{
  static const gchar *const names[2][3] = {
    {"xi1", "xi_1", NULL}, {"xi2", "xi_2", NULL}
  };
  yaml_node_t *xi = get_any_member (file, root, names[view]);
  gdouble numbers[4];
  guint n = 0;

  if (xi == NULL)
    return TRUE;
  if (matrix == NULL)
    return FAIL (file, xi, "expected %s in the same file as %s", view == 0
        ? "K1" : "K2", names[view][0]);
  if (d != NULL && !read_numbers (file, d, numbers, 4, &n))
    return FALSE;
  camera->lens = STEREO_LENS_OMNI;
  camera->skew = k[1];
  return read_matrix (file, xi, names[view][0], &camera->xi, 1)
      && check_lens (file, xi, camera);
}

/* The rotation between the cameras, as a matrix or a vector. */
static gboolean
read_rotation (GstStereoYamlFile * file, const yaml_node_t * node,
    gdouble rotation[9])
{
  gdouble numbers[9];
  guint n;

  if (!read_numbers (file, node, numbers, 9, &n))
    return FALSE;
  if (n == 9)
    memcpy (rotation, numbers, sizeof (numbers));
  else if (n == 3)
    stereo_rotation_from_vector (numbers, rotation);
  else
    return FAIL (file, node, "expected 9 numbers in the rotation R, or 3 of a "
        "vector, got %u", n);
  return TRUE;
}

/* Ignores missing keys, because two files may complete each other. */
static gboolean
add_opencv_camera (GstStereoYamlFile * file, const yaml_node_t * root,
    gint view, StereoCalibration * c)
{
  static const gchar *const matrices[2][5] = {
    {"M1", "cameraMatrix1", "K1", "camera_matrix_1", NULL},
    {"M2", "cameraMatrix2", "K2", "camera_matrix_2", NULL}
  };
  static const gchar *const distortions[2][4] = {
    {"D1", "distCoeffs1", "distortion_coefficients_1", NULL},
    {"D2", "distCoeffs2", "distortion_coefficients_2", NULL}
  };
  static const gchar *const rotations[2] = { "R1", "R2" };
  static const gchar *const projections[2] = { "P1", "P2" };
  yaml_node_t *m = get_any_member (file, root, matrices[view]);
  yaml_node_t *d = get_any_member (file, root, distortions[view]);
  yaml_node_t *r = get_member (file, root, rotations[view]);
  yaml_node_t *p = get_member (file, root, projections[view]);
  const gchar *model = get_text (get_member (file, root, "distortion_model"));
  gdouble k[9] = { 0, };

  if (m != NULL) {
    if (!read_matrix (file, m, "a camera matrix", k, 9)
        || !set_intrinsics (file, m, k, &c->camera[view]))
      return FALSE;
    c->has_camera[view] = TRUE;
  }
  if (!read_distortion (file, d, model, &c->camera[view])
      || !add_omnidir (file, root, view, m, k, d, &c->camera[view]))
    return FALSE;
  if (r == NULL || p == NULL)
    return TRUE;
  c->has_rectification[view] = TRUE;
  return read_matrix (file, r, "a rectification matrix", c->rectifying[view],
      9) && read_matrix (file, p, "a projection matrix", c->projection[view],
      12);
}

static gboolean
add_opencv (GstStereoYamlFile * file, const yaml_node_t * root, gdouble unit,
    StereoCalibration * c)
{
  static const gchar *const rotations[] = { "R", "rvec", NULL };
  static const gchar *const translations[] = { "T", "tvec", NULL };
  yaml_node_t *r = get_any_member (file, root, rotations);
  yaml_node_t *t = get_any_member (file, root, translations);
  yaml_node_t *width = get_member (file, root, "image_width");
  yaml_node_t *height = get_member (file, root, "image_height");

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
  return read_rotation (file, r, c->rotation)
      && read_matrix (file, t, "the translation T", c->translation, 3);
}

/* --------------------------------------------------------------------- ROS */

static gboolean
add_ros (GstStereoYamlFile * file, const yaml_node_t * root,
    StereoCalibration * c)
{
  static const gchar *const names[] = { "camera_matrix", "image_width",
    "image_height", "rectification_matrix", "projection_matrix"
  };
  yaml_node_t *nodes[G_N_ELEMENTS (names)], *model;
  gdouble k[9], p[12];
  StereoCamera *camera;
  gint view;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    nodes[i] = get_member (file, root, names[i]);
    if (nodes[i] == NULL)
      return FAIL (file, root, "expected %s in a camera_info file", names[i]);
  }
  if (!read_matrix (file, nodes[4], "the projection_matrix", p, 12))
    return FALSE;
  /* the projection of the right camera contains the baseline */
  view = p[3] == 0 ? STEREO_LEFT : STEREO_RIGHT;
  camera = &c->camera[view];
  if (c->has_camera[view])
    return FAIL (file, nodes[4],
        "got a second %s camera: the fourth number of the "
        "projection_matrix is %s", view == STEREO_LEFT ? "left" : "right",
        view == STEREO_LEFT ? "0" : "not 0");
  model = get_member (file, root, "distortion_model");
  if (!read_matrix (file, nodes[0], "the camera_matrix", k, 9)
      || !set_intrinsics (file, nodes[0], k, camera)
      || !read_size (file, nodes[1], &camera->width)
      || !read_size (file, nodes[2], &camera->height)
      || !read_matrix (file, nodes[3], "the rectification_matrix",
          c->rectifying[view], 9)
      || !read_distortion (file, get_member (file, root,
              "distortion_coefficients"), get_text (model), camera))
    return FALSE;
  memcpy (c->projection[view], p, sizeof (p));
  c->has_camera[view] = c->has_rectification[view] = TRUE;
  return TRUE;
}

/* ------------------------------------------------------------------ Kalibr */

/* Camera models, and the parameters before the focal lengths in
 * `intrinsics`. */
typedef struct
{
  const gchar *name;
  StereoLens lens;
  guint n;
} GstStereoKalibrModel;

static const GstStereoKalibrModel kalibr_models[] = {
  {"pinhole", STEREO_LENS_BROWN, 0},    /* or by the distortion_model */
  {"omni", STEREO_LENS_OMNI, 1},        /* xi */
  {"ds", STEREO_LENS_DOUBLE_SPHERE, 2}, /* xi, alpha */
  {"eucm", STEREO_LENS_EXTENDED, 2},    /* alpha, beta */
};

static const GstStereoKalibrModel *
find_kalibr_model (const gchar * name)
{
  for (guint i = 0; i < G_N_ELEMENTS (kalibr_models); i++) {
    if (g_strcmp0 (name, kalibr_models[i].name) == 0)
      return &kalibr_models[i];
  }
  return NULL;
}

/* Sets the parameters of a wide lens.  Kalibr distorts omni only, by radtan. */
static gboolean
set_kalibr_model (GstStereoYamlFile * file, const yaml_node_t * node,
    const GstStereoKalibrModel * model, const gchar * distortion,
    const gdouble * numbers, StereoCamera * camera)
{
  if (model->lens == STEREO_LENS_BROWN)
    return TRUE;
  if (g_strcmp0 (distortion, "none") != 0
      && (model->lens != STEREO_LENS_OMNI
          || g_strcmp0 (distortion, "radtan") != 0))
    return FAIL (file, node, "expected the distortion model %snone of the "
        "camera model %s, got %.40s", model->lens == STEREO_LENS_OMNI
        ? "radtan or " : "", model->name, distortion);
  camera->lens = model->lens;
  if (model->lens == STEREO_LENS_EXTENDED) {
    camera->alpha = numbers[0];
    camera->beta = numbers[1];
  } else {
    camera->xi = numbers[0];
    camera->alpha = model->n > 1 ? numbers[1] : 0;
  }
  return check_lens (file, node, camera);
}

static gboolean
read_kalibr_camera (GstStereoYamlFile * file, const yaml_node_t * node,
    StereoCamera * camera)
{
  yaml_node_t *kind = get_member (file, node, "camera_model");
  yaml_node_t *intrinsics = get_member (file, node, "intrinsics");
  yaml_node_t *resolution = get_member (file, node, "resolution");
  const gchar *distortion = get_text (get_member (file, node,
          "distortion_model"));
  const GstStereoKalibrModel *model = find_kalibr_model (get_text (kind));
  gdouble numbers[6], size[2], *focal;

  if (kind == NULL || intrinsics == NULL || resolution == NULL)
    return FAIL (file, node,
        "expected camera_model, intrinsics and resolution of a camera");
  if (model == NULL)
    return FAIL (file, kind,
        "expected the camera model pinhole, omni, ds or eucm, got %.40s",
        get_text (kind) ? get_text (kind) : "(none)");
  distortion = distortion != NULL ? distortion : "none";
  focal = numbers + model->n;
  if (!read_matrix (file, intrinsics, "intrinsics", numbers, model->n + 4)
      || !read_matrix (file, resolution, "the resolution", size, 2)
      || !read_distortion (file, get_member (file, node, "distortion_coeffs"),
          distortion, camera)
      || !set_kalibr_model (file, intrinsics, model, distortion, numbers,
          camera))
    return FALSE;
  if (!(focal[0] > 0 && focal[1] > 0))
    return FAIL (file, intrinsics, "expected focal lengths above 0, got %g and "
        "%g", focal[0], focal[1]);
  camera->fx = focal[0];
  camera->fy = focal[1];
  camera->cx = focal[2];
  camera->cy = focal[3];
  return set_size (file, resolution, size[0], &camera->width)
      && set_size (file, resolution, size[1], &camera->height);
}

/* Sets the pose from that of cam1; swaps the cameras if cam1 is the left. */
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
add_kalibr (GstStereoYamlFile * file, const yaml_node_t * root,
    StereoCalibration * c)
{
  static const gchar *const names[] = { "cam0", "cam1" };
  yaml_node_t *pose;
  gdouble t[16];

  for (gint v = 0; v < STEREO_N_VIEWS; v++) {
    yaml_node_t *node = get_member (file, root, names[v]);

    if (node == NULL)
      return FAIL (file, root, "expected two cameras, got no %s",
          names[v]);
    if (!read_kalibr_camera (file, node, &c->camera[v]))
      return FALSE;
    c->has_camera[v] = TRUE;
  }
  pose = get_member (file, get_member (file, root, "cam1"), "T_cn_cnm1");
  if (pose == NULL)
    return FAIL (file, get_member (file, root, "cam1"),
        "expected T_cn_cnm1 in cam1");
  if (!read_matrix (file, pose, "T_cn_cnm1", t, 16))
    return FALSE;
  set_kalibr_pose (t, c);
  c->unit = 1;
  return TRUE;
}

/* --------------------------------------------------------------------- file */

static gboolean
add_document (GstStereoYamlFile * file, gdouble unit, StereoCalibration * c)
{
  static const gchar *const opencv[] = { "M1", "M2", "cameraMatrix1",
    "cameraMatrix2", "K1", "K2", "R", "T", "R1", "R2", "camera_matrix_1",
    "camera_matrix_2", "rvec", NULL
  };
  yaml_node_t *root = yaml_document_get_root_node (&file->document);

  if (root == NULL || root->type != YAML_MAPPING_NODE)
    return gst_stereo_calibration_fail (file->why, file->name, 1,
        "expected a calibration, got a document without keys");
  if (get_member (file, root, "camera_matrix") != NULL
      && get_member (file, root, "projection_matrix") != NULL)
    return add_ros (file, root, c);
  if (get_member (file, root, "cam0") != NULL)
    return add_kalibr (file, root, c);
  if (get_any_member (file, root, opencv) != NULL)
    return add_opencv (file, root, unit, c);
  return FAIL (file, root,
      "unknown calibration format: expected M1 or R (OpenCV), camera_matrix "
      "and projection_matrix (ROS), or cam0 (Kalibr)");
}

static gboolean
init_parser (GstStereoYamlFile * file, yaml_parser_t * parser,
    const gchar * text)
{
  if (!yaml_parser_initialize (parser))
    return gst_stereo_calibration_fail (file->why, file->name, 0,
        "out of memory");
  yaml_parser_set_input_string (parser, (const unsigned char *) text,
      strlen (text));
  return TRUE;
}

/* Counts a token; returns FALSE if there are too many like it. */
static gboolean
count_token (GstStereoYamlFile * file, GstStereoYamlCount * count,
    const yaml_token_t * token)
{
  switch (token->type) {
    case YAML_BLOCK_SEQUENCE_START_TOKEN:
    case YAML_BLOCK_MAPPING_START_TOKEN:
      count->blocks++;
      break;
    case YAML_BLOCK_END_TOKEN:
      count->blocks--;
      break;
    case YAML_FLOW_SEQUENCE_START_TOKEN:
    case YAML_FLOW_MAPPING_START_TOKEN:
      count->flows++;
      break;
    case YAML_FLOW_SEQUENCE_END_TOKEN:
    case YAML_FLOW_MAPPING_END_TOKEN:
      count->flows -= count->flows > 0;
      break;
    case YAML_ANCHOR_TOKEN:
    case YAML_TAG_DIRECTIVE_TOKEN:
      count->names++;
      break;
    default:
      break;
  }
  if (count->blocks + count->flows > MAX_DEPTH)
    return FAIL (file, token, "expected at most %d levels of nesting, got more",
        MAX_DEPTH);
  if (count->names > MAX_NAMES)
    return FAIL (file, token, "expected at most %d anchors and tags, got more",
        MAX_NAMES);
  return TRUE;
}

/* Limits tokens for which libyaml needs quadratic time.  The loader reports
 * syntax errors. */
static gboolean
check_limits (GstStereoYamlFile * file, const gchar * text)
{
  GstStereoYamlCount count = { 0, 0, 0 };
  gboolean ok = TRUE, at_end = FALSE;
  yaml_parser_t parser;
  yaml_token_t token;

  if (!init_parser (file, &parser, text))
    return FALSE;
  while (ok && !at_end && yaml_parser_scan (&parser, &token)) {
    at_end = token.type == YAML_STREAM_END_TOKEN;
    ok = count_token (file, &count, &token);
    yaml_token_delete (&token);
  }
  yaml_parser_delete (&parser);
  return ok;
}

gboolean
gst_stereo_calibration_add_yaml (StereoCalibration * calibration,
    const gchar * name, const gchar * text, gsize size, gdouble unit,
    StereoMessage * why)
{
  GstStereoYamlFile file = {.name = name,.why = why };
  gchar *copy = g_strndup (text, size);
  gchar *directive = strstr (copy, "%YAML:");
  yaml_parser_t parser;
  gboolean ok;

  /* OpenCV's first line is not valid YAML; there may be comments before it */
  if (directive == copy || (directive != NULL && directive[-1] == '\n'))
    *directive = '#';
  if (!check_limits (&file, copy) || !init_parser (&file, &parser, copy)) {
    g_free (copy);
    return FALSE;
  }
  ok = yaml_parser_load (&parser, &file.document) != 0;
  if (ok) {
    ok = add_document (&file, unit, calibration);
    yaml_document_delete (&file.document);
  } else {
    gst_stereo_calibration_fail (why, name, parser.problem_mark.line + 1,
        "failed to parse YAML: %s", parser.problem ? parser.problem
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
  return gst_stereo_calibration_fail (why, name, 0, "cannot read YAML: "
      "install libyaml-dev and build again; .conf files of ZED cameras need no "
      "libyaml");
}

#endif
