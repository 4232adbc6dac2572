/* gst-stereomatching: scenes with ground truth
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * scene.h: stereo pairs with their ground truth, in folders of three layouts or
 * as single files.
 *
 * - scene.ini: left, right, disp_left, nonocc, all and disc (.png, .ppm, .pgm,
 *   .jpg or .jpeg), described by the section [scene]: ndisp, gt_scale,
 *   gt_invalid, masks, and optional width, height.
 * - Middlebury (2014 and later) and ETH3D: im0, im1 (with these endings),
 *   calib.txt, disp0.pfm or disp0GT.pfm, mask0nocc.png.  Only the images are
 *   required.  The truth of an ETH3D scene SET/NAME may also be in SET_gt/NAME.
 * - KITTI: a folder with image_2, image_3, disp_occ_0 and disp_noc_0 (2015), or
 *   colored_0, colored_1, disp_occ and disp_noc (2012; also image_0, image_1).
 *   Each *_10.png or *_10.jpg of the first is a scene.
 *
 * Functions that can fail return false and write the file and the reason to
 * why, which must not be NULL.
 */

#ifndef SCENE_H
#define SCENE_H

#include "cli-options.h"
#include "imagefile.h"

/* Default search range of KITTI scenes. */
#define SCENE_KITTI_DISPARITIES 256

typedef enum
{
  SCENE_NONOCC = 0,             /* visible in both views */
  SCENE_ALL,                    /* with a known disparity */
  SCENE_DISC,                   /* near a jump of the disparity */
  SCENE_N_REGIONS
} SceneRegion;

/* "nonocc", "all", "disc". */
extern const char *const scene_region_names[SCENE_N_REGIONS];

/* The scenes of Middlebury v2, in the order of its tables. */
#define SCENE_N_V2 4
extern const char *const scene_v2_names[SCENE_N_V2];

/* The location of a scene, which is not read yet. */
typedef struct
{
  enum
  {
    SCENE_KIND_INI,
    SCENE_KIND_MIDDLEBURY,
    SCENE_KIND_KITTI,
    SCENE_KIND_FILES
  } kind;
  char *name;                   /* unique in the list */
  char *folder;                 /* not of SCENE_KIND_FILES */
  char *file;                   /* of KITTI: "000000_10.png" */
  int layout;                   /* of KITTI */
  char *left, *right, *truth;   /* of SCENE_KIND_FILES, each may be NULL */
  double truth_scale;           /* as for image_read_map() */
  CliInvalid truth_invalid;
} SceneSource;

/* Owns its items.  Must be zeroed first. */
typedef struct
{
  SceneSource *item;
  size_t n;
} SceneList;

/* Adds the scene or scenes of a folder, or else those of its subfolders, in
 * alphabetical order; Middlebury v2 in the order of its tables. */
STEREO_CHECKED bool scene_list_add (SceneList * list, const char *path,
    StereoMessage * why);

/* Adds a scene of single files; copies the strings of source. */
void scene_list_add_files (SceneList * list, const SceneSource * source);

void scene_list_clear (SceneList * list);

/* All images have width x height pixels. */
typedef struct
{
  int width;
  int height;
  int disparities;              /* to search; 0 = unknown */
  double shown_min, shown_max;  /* disparities to draw; equal: unknown */
  bool official;                /* has the masks of a benchmark */
  bool has_views;
  Image left, right;            /* grey or RGB with 8 bits, if has_views */
  float *truth;                 /* in pixels, NAN = unknown; NULL: none */
  uint8_t *region[SCENE_N_REGIONS];     /* 255 or 0; NULL: not known */
} Scene;

STEREO_CHECKED bool scene_load (const SceneSource * source, Scene * scene,
    StereoMessage * why);

/* scene may be zeroed. */
void scene_clear (Scene * scene);

#endif /* SCENE_H */
