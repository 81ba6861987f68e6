#!/usr/bin/env bash
# Packs what the measurements of fixes need beside Python 3.11 with torch, into one archive for another machine.
#
#   benchmarks/fixes/carry.sh OUT.tar.xz SITE PACKAGES INSTALLED...
#
# SITE holds transformers, diffusers and timm in the recorded versions, PACKAGES the five packages; INSTALLED are
# site-packages folders that hold their dependencies, of which the first that has one gives it. Compiled files of Python,
# tests and what only CUDA or OpenCV would use is left out, and what WITHOUT names (scipy: three cases match with it).
# The layout on the other machine is that of `run_all.sh`. As archives, on 2026-11-24: site and packages 14.8 MB, the
# dependencies 9.4 MB, numpy 9.5 MB, scipy 19.7 MB.
set -euo pipefail
out=$1 site=$2 packages=$3
shift 3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder"/{site,packages,extra}
cp -r "$site"/{transformers,diffusers,timm}* "$folder/site"
for name in ultralytics vit_pytorch basicsr encodec segmentation_models_pytorch; do
    cp -r "$packages/$name" "$packages/$name"-*.dist-info "$folder/packages"
done
for name in ${DEPENDENCIES:-huggingface_hub tokenizers safetensors regex yaml tqdm requests urllib3 certifi idna \
    charset_normalizer packaging filelock fsspec typing_extensions.py jinja2 markupsafe click rich markdown_it mdurl \
    pygments libcst platformdirs sarif_om attr attrs typer shellingham annotated_doc httpx httpcore anyio h11 \
    httpx2 httpcore2 truststore sniffio importlib_metadata zipp einops PIL pillow.libs numpy numpy.libs scipy scipy.libs psutil \
    torchvision addict lmdb timm}; do
    case " ${WITHOUT:-} " in *" ${name%.libs} "*) continue ;; esac
    for installed in "$@"; do
        if [ -e "$installed/$name" ]; then
            cp -r "$installed/$name" "$folder/extra"
            stem=${name%.py}
            find "$installed" -maxdepth 1 \( -iname "${stem//_/?}-*.dist-info" -o -iname "py$stem-*.dist-info" \) -exec cp -r {} "$folder/extra" \;
            break
        fi
    done
done
cd "$folder"
find . -name __pycache__ -prune -exec rm -rf {} +
find extra -type d \( -name tests -o -name test \) -prune -exec rm -rf {} +
rm -rf extra/torchvision/*.so extra/timm
mv extra/torchvision* packages # half of one, which only the packages may see
tar -c . | xz -T0 -6 >"$out"
du -sh site packages extra "$out"
