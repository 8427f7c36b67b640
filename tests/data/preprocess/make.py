#!/usr/bin/env python3
"""Makes this folder's references of image preprocessing, by Pillow from the pixels that stb_image decodes.

usage: tests/data/preprocess/make.py BUILD_FOLDER

Needs Pillow and numpy (`pip install pillow numpy`); only for maintainers: the test reads what lies here. Images pass Pillow
as floats, so that it rounds nothing between rows and columns; what is kept is rounded once, to bytes. How far Pillow's own
result for bytes, which rounds between, is from that is printed, and may be no more than one step.
"""
import pathlib
import subprocess
import sys
import tempfile

import numpy
import PIL
from PIL import Image

HERE = pathlib.Path(__file__).resolve().parent
# name, image, box (top, left, bottom, right) or all of it, rows and columns, filter
REFERENCES = [
    ("china-224", "china", None, (224, 224), Image.Resampling.BILINEAR),
    ("flower-224", "flower", None, (224, 224), Image.Resampling.BILINEAR),
    ("china-box", "china", (100, 37, 411, 598), (96, 128), Image.Resampling.BILINEAR),
    ("flower-grown", "flower", (120, 200, 168, 264), (80, 100), Image.Resampling.BILINEAR),
    # Of a size at which no position is on the border of two pixels: there Pillow takes now one, now the other.
    ("flower-nearest", "flower", None, (61, 128), Image.Resampling.NEAREST),
]


def main():
    example = pathlib.Path(sys.argv[1]) / "examples" / "preprocess" / "preprocess"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([example, "--device", "cpu:0", "--decoded", "--out", folder], check=True, stdout=subprocess.DEVNULL)
        images = {name: Image.open(pathlib.Path(folder) / f"{name}-decoded.png").convert("RGB")
                  for name in ("china", "flower")}
    for name, source, box, (rows, columns), method in REFERENCES:
        image = images[source]
        if box:  # cut first: PyTorch's way, and devq's
            top, left, bottom, right = box
            image = image.crop((left, top, right, bottom))
        planes = [plane.convert("F").resize((columns, rows), method) for plane in image.split()]
        exact = numpy.stack([numpy.asarray(plane, dtype=numpy.float64) for plane in planes], axis=-1)
        kept = numpy.rint(exact).clip(0, 255).astype(numpy.uint8)
        own = numpy.asarray(image.resize((columns, rows), method), dtype=numpy.float64)
        difference = abs(own - exact).max()
        assert difference <= 1, difference
        Image.fromarray(kept).save(HERE / f"{name}.png", optimize=True)
        print(f"{name}: {columns}x{rows}, Pillow's result for bytes is off by {difference:.3f} at most")
    print("Pillow", PIL.__version__)


if __name__ == "__main__":
    main()
