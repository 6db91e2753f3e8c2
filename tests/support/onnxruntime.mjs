// Runs an ONNX file by ONNX Runtime: float32 pixels in, float32 numbers of its first output out.
//     node onnxruntime.mjs FOLDER FILE.onnx PIXELS RESULT DIM…
// FOLDER is where onnxruntime-node is installed; DIM… is the shape of the input. Ends with 77 where there is none.
import { createRequire } from 'node:module';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

const [folder, file, pixels, result, ...dims] = process.argv.slice(2);
let ort;
try {
    ort = createRequire(resolve(folder, 'package.json'))('onnxruntime-node');
} catch {
    process.exit(77);
}
const session = await ort.InferenceSession.create(file, { intraOpNumThreads: 1, interOpNumThreads: 1 });
const bytes = readFileSync(pixels);
const data = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
const feeds = { [session.inputNames[0]]: new ort.Tensor('float32', data, dims.map(Number)) };
const out = (await session.run(feeds))[session.outputNames[0]].data;
writeFileSync(result, Buffer.from(out.buffer, out.byteOffset, out.byteLength));
