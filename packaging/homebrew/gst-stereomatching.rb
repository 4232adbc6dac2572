# gst-stereomatching: Homebrew formula
# SPDX-License-Identifier: LGPL-2.1-or-later

# Builds the main branch: `brew install --HEAD`. OWNER is to be replaced, and a
# release adds `url` and `sha256`.
class GstStereomatching < Formula
  desc "GStreamer plugin and library for disparity and depth from stereo video"
  homepage "https://github.com/OWNER/gst-stereomatching"
  license "LGPL-2.1-or-later"
  head "https://github.com/OWNER/gst-stereomatching.git", branch: "main"

  depends_on "meson" => :build
  depends_on "ninja" => :build
  depends_on "pkgconf" => :build
  depends_on "glib"
  depends_on "gstreamer"
  depends_on "jpeg-turbo"
  depends_on "json-glib"
  depends_on "libpng"
  depends_on "libsoup"
  depends_on "libyaml"

  def install
    args = %w[
      -Db_ndebug=true
      -Dcuda=disabled
      -Dexamples=disabled
      -Dtests=disabled
    ]
    system "meson", "setup", "build", *std_meson_args, *args
    system "meson", "compile", "-C", "build", "--verbose"
    system "meson", "install", "-C", "build"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/stereo-eval --version") unless build.head?
    system Formula["gstreamer"].bin/"gst-inspect-1.0", "stereosgm"
  end
end
