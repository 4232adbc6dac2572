/* gst-stereomatching: scenes with ground truth
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * scene.h: pairs of images and what is known about them, in folders of three
 * layouts or as single files.
 *
 * - scene.ini: left, right, disp_left, nonocc, all and disc (.png, .ppm, .pgm,
 *   .jpg or .jpeg), described by the section [scene]: ndisp, gt_scale,
 *   gt_invalid, masks, and width, height and name, if there are any.
 * - Middlebury (2014 and later) and ETH3D: im0, im1 (with these endings),
 *   calib.txt, disp0.pfm or disp0GT.pfm, mask0nocc.png.  Only the images must
 *   be there.  Of ETH3D the truth may be where its archive puts it, for a scene
 *   SET/NAME in SET_gt/NAME.
 * - KITTI: a folder with image_2, image_3, disp_occ_0 and disp_noc_0 (2015), or
 *   colored_0, colored_1, disp_occ and disp_noc (2012; also image_0, image_1).
 *   Each *_10.png or *_10.jpg of the first is a scene.
 *
 * Functions that can fail return false and say in why, which must not be NULL,
 * which file it was and what is wrong with it.
 */

#ifndef SCENE_H
#define SCENE_H

#include "imagefile.h"

/* What a KITTI scene and a pair of files search when nothing says how many. */
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

/* Where a scene is; nothing of it is read yet. */
typedef struct
{
  enum
  {
    SCENE_KIND_INI,
    SCENE_KIND_MIDDLEBURY,
    SCENE_KIND_KITTI,
    SCENE_KIND_FILES
  } kind;
  char *name;                   /* unlike those of all others in the list */
  char *folder;                 /* not of SCENE_KIND_FILES */
  char *file;                   /* of KITTI: "000000_10.png" */
  int layout;                   /* of KITTI */
  char *left, *right, *truth;   /* of SCENE_KIND_FILES, each may be NULL */
  double truth_scale;           /* 0: as image_read_map() has it */
  double truth_invalid;
  bool use_truth_invalid;
} SceneSource;

/* Owns its items.  To be zeroed first. */
typedef struct
{
  SceneSource *item;
  size_t n;
} SceneList;

/* Adds the scene, or scenes, of a folder; or of its subfolders when it is none
 * itself, in alphabetical order, but the four of Middlebury v2 in theirs. */
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
  double shown_min, shown_max;  /* disparities, for pictures; equal: unknown */
  bool official;                /* has the official masks of a benchmark */
  bool has_views;
  Image left, right;            /* grey or RGB with 8 bits, if has_views */
  float *truth;                 /* in pixels, NAN = unknown; NULL: none */
  uint8_t *region[SCENE_N_REGIONS];     /* 255 or 0; NULL: not known */
} Scene;

STEREO_CHECKED bool scene_load (const SceneSource * source, Scene * scene,
    StereoMessage * why);

/* Fine on a zeroed one. */
void scene_clear (Scene * scene);

#endif /* SCENE_H */
