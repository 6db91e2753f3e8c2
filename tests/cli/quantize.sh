#!/usr/bin/env bash
# A network in eight bits, and features by it.
. "$(dirname "$0")/lib.sh"
export LC_ALL=C.UTF-8
faults=$(cd "$(dirname "$0")/../faults" && pwd)

same_json() {
    /usr/bin/python3 -c 'import json, sys; a, b = (json.load(open(f)) for f in sys.argv[1:]); sys.exit(a != b)' "$@"
}

case_what_is_missing_is_said() {
    mkdir pictures
    refuse 2 "missing -o FILE.onnx" quantize net.onnx --pictures pictures
    refuse 2 "missing --pictures FOLDER" quantize net.onnx -o out.onnx
    refuse 2 "percentile of 20" quantize net.onnx --pictures pictures -o out.onnx --percentile 20
    refuse 2 "a cosine of 2 (at most 1)" quantize net.onnx --pictures pictures -o out.onnx --cosine 2
    refuse 3 "nowhere" quantize net.onnx --pictures nowhere -o out.onnx
    draw pictures/red.svg red
    refuse 3 "net.onnx" quantize net.onnx --pictures pictures -o out.onnx --preset imagenet
    echo "no network" >net.onnx
    refuse 3 "net.onnx: is cut or not an ONNX file" quantize net.onnx --pictures pictures -o out.onnx --preset imagenet
    refuse 2 "no network" quantize builtin --pictures pictures -o out.onnx
    [ ! -e out.onnx ] || complain "something was written"
}

# Of a process that dies at once, it is not said alone that it died.
case_a_picture_that_is_left_out_is_named() {
    mkdir pictures
    draw pictures/red.svg red
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$faults /usr/bin/python3 -c 'import commands, sys
sys.stdout.buffer.write(commands.network())' >net.onnx
    cat >net.json <<'JSON'
{"input": "x", "output": "y", "resize": {"shorter_side": 32}, "crop": {"centre": 32}, "channels": "RGB",
 "mean": [128, 128, 128], "scale": [0.0078125, 0.0078125, 0.0078125]}
JSON
    printf '#!/bin/sh\nexit 1\n' >dies
    chmod +x dies
    F0T_PICTURE=$PWD/dies run 3 quantize net.onnx --pictures pictures -o out.onnx
    warns "pictures/red.svg: $PWD/dies: "
    warns "none of the 1 pictures can be read"
}

case_features_stay_nearly_what_they_were() {
    [ -n "${F0T_DATA-}" ] || { skip "F0T_DATA is not set"; return; }
    local net=$F0T_DATA/mobilenet_v2/mobilenet_v2.onnx
    run 0 quantize "$net" --pictures "$F0T_DATA/photos" --count 6 -o net.onnx --cosine 0.98 --json
    json_holds 'd["pictures"] == 6 and d["layers"] == 52 and d["cosine"] >= 0.98'
    json_holds 'd["bytes"] < 0.6 * d["bytes_before"] and d["float_layers"] < 8'
    same_json net.json "${net%.onnx}.json" || complain "it is not known how pictures are prepared"
    run 0 inspect net.onnx
    says "features"
    run 0 features "$F0T_DATA/photos" -o eight --backbone net.onnx
    run 0 features "$F0T_DATA/photos" -o floats --backbone "$net"
    /usr/bin/python3 - eight/features.npy floats/features.npy <<'PY' || complain "features differ"
import sys, numpy as np
x, y = (np.load(f).astype(float) for f in sys.argv[1:])
c = (x * y).sum(1) / np.sqrt((x * x).sum(1) * (y * y).sum(1))
sys.exit(not (c.mean() > 0.98 and c.mean() < 1))
PY
}

case_what_is_said_of_it_goes_beside_it() {
    [ -n "${F0T_DATA-}" ] || { skip "F0T_DATA is not set"; return; }
    local net=$F0T_DATA/mobilenet_v2/mobilenet_v2.onnx
    echo '{"crop": {"width": 32, "height": 32}}' >net.json
    refuse 2 "net.json is there already" quantize "$net" --pictures "$F0T_DATA/photos" -o net.onnx
    [ ! -e net.onnx ] || complain "something was written"
    rm net.json
    mkdir net.json
    refuse 3 "net.json" quantize "$net" --pictures "$F0T_DATA/photos" -o net.onnx
    [ ! -e net.onnx ] || complain "something was written"
    rmdir net.json
    run 0 quantize "$net" --pictures "$F0T_DATA/photos" --count 1 --cosine 0 -o net.onnx --preset clip
    /usr/bin/python3 -c 'import json; d = json.load(open("net.json"))
assert d["resize"]["kernel"] == "bicubic" and abs(d["scale"][0] * 255 * 0.26862954 - 1) < 1e-5, d' ||
        complain "the preset is lost"
    run 0 quantize "$net" --pictures "$F0T_DATA/photos" --count 1 --cosine 0 -o net.onnx --preset clip
}

run_cases
