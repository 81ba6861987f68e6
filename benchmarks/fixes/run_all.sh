#!/usr/bin/env bash
# The measurements of fixes, as many cases at a time as there are processors, with their records under a folder.
#
#   benchmarks/fixes/run_all.sh FOLDER RECORDS [SECONDS]
#
# FOLDER/site       transformers 5.23.0, diffusers 0.42.1, timm 1.0.31 (pip install --no-deps --target)
# FOLDER/packages   ultralytics 8.4.190, vit-pytorch 1.26.11, basicsr 1.4.2, encodec 0.1.1,
#                   segmentation_models_pytorch 0.6.0 (the same), and torchvision, whose compiled half may be missing:
#                   only the packages see this folder, since transformers would take it for a whole one
# FOLDER/extra      their dependencies, and compilelint's own, where the interpreter has none (carry.sh packs all three)
# FOLDER/packages-torch-2.13.0.jsonl.gz   the recorded breaks of the packages
# PYTHON            the interpreter, with torch 2.13 (python3)
# JOBS              how many cases at a time (as many as there are processors)
#
# RECORDS holds cure.jsonl, packages.jsonl, eager.jsonl and their logs; a case that is there is not run again, so a run
# that was cut short goes on where it was. Of SECONDS (540) two thirds are for the libraries, the rest in halves for the
# packages and the eager runs. PARTS names what is run (cure packages eager).
set -uo pipefail
cd "$(dirname "$0")/../.."
folder=$(realpath "$1") records=$2 seconds=${3:-540} python=${PYTHON:-python3} jobs=${JOBS:-$(nproc)}
mkdir -p "$records"
truth=(benchmarks/truth/transformers-5.23.0-torch-2.13.0.jsonl.gz benchmarks/truth/diffusers-0.42.1-torch-2.13.0.jsonl.gz)
export CUDA_VISIBLE_DEVICES="" HF_HUB_OFFLINE=1 TOKENIZERS_PARALLELISM=false
"$python" -m compileall -q -j "$jobs" "$folder/site" "$folder/packages" "$folder/extra" >/dev/null 2>&1
own=$PWD/src:$PWD
for part in ${PARTS:-cure packages eager}; do
    path=$own:$folder/site:$folder/extra
    case $part in
    cure) words=(cure --site "$folder/site" --truth "${truth[@]}" --timeout 120 --limit 900 --budget $((seconds * 2 / 3))) ;;
    packages)
        path=$own:$folder/packages:$folder/site:$folder/extra
        words=(cure --site "$folder/packages" --truth "$folder/packages-torch-2.13.0.jsonl.gz" --timeout 120 --limit 900
            --factories benchmarks/fixes/packages.py --budget $((seconds / 6)))
        ;;
    eager)
        words=(eager --site "$folder/site" --truth "${truth[@]}" --fixed "$records/fixed" --budget $((seconds / 6)))
        ;;
    esac
    PYTHONPATH=$path "$python" -W ignore -m "benchmarks.fixes.${words[0]}" "${words[@]:1}" --jobs "$jobs" \
        --record "$records/$part.jsonl" >"$records/$part.log" 2>"$records/$part.err"
    tail -3 "$records/$part.log"
done
