# gst-stereomatching: evaluates a package of nixpkgs without nixpkgs
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   nix-instantiate --eval --strict --json --store dummy:// --argstr package FILE stubs.nix
#
# Calls the function in FILE with the part of nixpkgs' library that it uses, and with
# the name of each package as its value. Prints what it passes to mkDerivation, without
# and with CUDA. Unknown arguments and attributes are errors.
{ package }:
let
  flag = name: text: "-D${name}=${text}";
  lib = {
    cleanSource = path: baseNameOf (toString path);
    mesonBool = name: value: flag name (if value then "true" else "false");
    mesonEnable = name: value: flag name (if value then "enabled" else "disabled");
    optionals = condition: list: if condition then list else [ ];
    licenses.lgpl21Plus = "LGPL-2.1-or-later";
    platforms.linux = [ "x86_64-linux" ];
  };
  packages = {
    inherit lib;
    stdenv.mkDerivation =
      function:
      let
        attributes = function { finalPackage = attributes; };
      in
      attributes;
    cudaPackages = {
      cuda_cudart = "cudart";
      cuda_nvcc = "nvcc";
    };
    gst_all_1 = {
      gst-plugins-base = "gst-plugins-base";
      gstreamer = "gstreamer";
    };
  }
  // builtins.listToAttrs (
    map
      (name: {
        inherit name;
        value = name;
      })
      [
        "glib"
        "json-glib"
        "libjpeg"
        "libpng"
        "libsoup_3"
        "libyaml"
        "meson"
        "ninja"
        "pkg-config"
        "python3"
      ]
  );
  function = import (/. + package);
  arguments = builtins.intersectAttrs (builtins.functionArgs function) packages;
in
map (cudaSupport: function (arguments // { inherit cudaSupport; })) [
  false
  true
]
