# gst-stereomatching: package for nixpkgs
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# In the style of nixpkgs' pkgs/by-name:
#
#   nix-build --expr 'with import <nixpkgs> { }; callPackage ./packaging/nix/package.nix { }'
#
# builds this tree. The plugin is in lib/gstreamer-1.0 of the default output.
{
  lib,
  stdenv,
  meson,
  ninja,
  pkg-config,
  python3,
  glib,
  gst_all_1,
  json-glib,
  libjpeg,
  libpng,
  libsoup_3,
  libyaml,
  cudaPackages ? null,
  cudaSupport ? false,
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "gst-stereomatching";
  version = "0.2.0";

  src = lib.cleanSource ../..;

  outputs = [
    "out"
    "dev"
    "man"
  ];

  strictDeps = true;

  nativeBuildInputs = [
    meson
    ninja
    pkg-config
    python3
  ]
  ++ lib.optionals cudaSupport [ cudaPackages.cuda_nvcc ];

  buildInputs = [
    glib
    gst_all_1.gst-plugins-base
    gst_all_1.gstreamer
    json-glib
    libjpeg
    libpng
    libsoup_3
    libyaml
  ]
  ++ lib.optionals cudaSupport [ cudaPackages.cuda_cudart ];

  mesonFlags = [
    (lib.mesonBool "b_ndebug" true)
    (lib.mesonEnable "cuda" cudaSupport)
    (lib.mesonEnable "examples" false)
    (lib.mesonEnable "tests" finalAttrs.finalPackage.doCheck)
  ];

  postPatch = ''
    patchShebangs .
  '';

  doCheck = true;

  checkPhase = ''
    runHook preCheck
    meson test --suite unit --no-suite slow --timeout-multiplier 5 --print-errorlogs
    runHook postCheck
  '';

  meta = {
    description = "GStreamer plugin and library for disparity, depth and views from stereo video";
    license = lib.licenses.lgpl21Plus;
    platforms = lib.platforms.linux;
    mainProgram = "stereo-eval";
  };
})
