# gst-stereomatching: the screenshots of stereo-tune's page
# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/images/tune-*.webp: screenshots of stereo-tune --demo.

Needs stereo-tune, which must find the plugin, and a headless Chromium (tests/tune/chromium.py).
"""

import os
import subprocess
import sys
import time

import common

QUALITY = 80
# Seconds before a screenshot, for figures to accumulate.
WATCHED = 9


def settings(tab, side, matcher, preset, **values):
    """Selects the matcher of a side, and sets its properties through the controls."""
    side_of = "document.querySelector('.side.%s')" % side
    tab.value("(list => { list.value = '%s'; list.dispatchEvent(new Event('change')); })"
              "(%s.querySelector('.matcher select'))" % (matcher, side_of))
    tab.until("%s.querySelector('.element h3').textContent === '%s'" % (side_of, matcher))
    if preset:
        tab.value("%s.querySelector('[data-preset=%s]').click()" % (side_of, preset))
        tab.until("%s.querySelector('.property.changed')" % side_of)
    for name, value in values.items():
        tab.value("(box => { box.value = '%s'; box.dispatchEvent(new Event('change')); })"
                  "(%s.querySelector('[data-name=%s] input[type=number]'))"
                  % (value, side_of, name.replace("_", "-")))


def show(tab, address, width, height, scale, scheme):
    tab.size(width, height, scale)
    tab.prefer(prefers_color_scheme=scheme)
    tab.go(address)
    tab.until("document.querySelector('.property') && document.getElementById('nothing').hidden")


def take(tab, name, part="header", block="start"):
    """A screenshot with a paused pair, and a part of the page scrolled into view."""
    time.sleep(WATCHED)
    tab.click("#pause")
    tab.value("document.querySelectorAll('.message button').forEach(button => button.click())")
    tab.value("document.activeElement.blur()")
    tab.value("document.querySelector('%s').scrollIntoView({block: '%s'})" % (part, block))
    time.sleep(0.4)
    tab.picture(os.path.join(common.IMAGES, "tune-%s.webp" % name), format="webp", quality=QUALITY)
    tab.click("#pause")


def show_alignment(tab, address):
    """A disturbed scene; only B corrects the views."""
    show(tab, address, 1440, 1040, 1, "light")
    tab.click("#reset")
    tab.until("!document.querySelector('.side.a .changed[data-element=matcher]')")
    tab.click("#compare")
    tab.until("document.querySelector('.side.b .property')")
    settings(tab, "a", "stereosgm", None)
    settings(tab, "b", "stereosgm", None)
    tab.value("(box => { box.value = '1'; box.dispatchEvent(new Event('change')); })"
              "(document.querySelector('.side.a [data-element=scene][data-name=roll] input[type=number]'))")
    tab.until("document.querySelector('.verdict.b').dataset.status === 'off'")
    tab.click("#correct-b")
    tab.until("document.querySelector('.verdict.b').dataset.status === 'ok'")
    tab.value("document.querySelector('#overlay [value=matches]').click()")
    tab.until("document.querySelectorAll('#overlay-b .match').length > 0")
    take(tab, "alignment", ".alignment", "end")
    tab.value("document.querySelector('#overlay [value=none]').click()")
    tab.click("#reset")
    tab.value("document.querySelector('.side.a [data-element=scene][data-name=roll] .reset').click()")
    tab.click("#compare")
    tab.until("document.getElementById('split').hidden")


def pictures(tab, address):
    show(tab, address, 1440, 900, 1, "light")
    settings(tab, "a", "stereosgm", None, num_disparities=72, speckle_size=120)
    tab.click("#compare")
    tab.until("document.querySelector('.side.b .property')")
    settings(tab, "b", "stereovcbw", "paper")
    tab.click("#look", 0.28, 0.55)
    take(tab, "wide")
    tab.click(".which .b")
    take(tab, "figures", ".line", "end")
    tab.click("#compare")
    tab.until("document.getElementById('split').hidden")
    show_alignment(tab, address)
    show(tab, address, 390, 844, 2, "dark")
    tab.click("#views [data-view=disparity]")
    tab.click("#look", 0.7, 0.62)
    take(tab, "phone", ".side.a [data-name=min-disparity]", "end")


def measure(program, _):
    """Starts a server and takes screenshots of its page."""
    sys.path.insert(0, os.path.join(common.DOCS, "..", "tests", "tune"))
    import chromium

    if chromium.missing():
        sys.exit(chromium.missing())
    with subprocess.Popen([program, "--demo", "--port", "0"], stdout=subprocess.PIPE,
                          text=True) as server, chromium.Browser() as browser:
        try:
            pictures(browser.tab(), server.stdout.readline().split()[-1])
        finally:
            server.terminate()


def generate():
    """No generated text."""
    return {}
