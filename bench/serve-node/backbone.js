// The peer `onnxruntime` of bench/backbone_peer.py: runs an ONNX file, a batch for each line on stdin.
//     node backbone.js FILE THREADS BATCH
import ort from 'onnxruntime-node';
import readline from 'node:readline';
import { createRequire } from 'node:module';

const [file, threads, batch] = process.argv.slice(2);
const session = await ort.InferenceSession.create(file, {
    intraOpNumThreads: +threads,
    interOpNumThreads: 1,
    graphOptimizationLevel: 'all',
});
const pixels = new Float32Array(batch * 3 * 224 * 224);
for (let k = 0; k < pixels.length; k++)
    pixels[k] = Math.sin(k * 0.37);
const feeds = { [session.inputNames[0]]: new ort.Tensor('float32', pixels, [+batch, 3, 224, 224]) };
await session.run(feeds);
const version = createRequire(import.meta.url)('onnxruntime-node/package.json').version;
console.log(`ready ONNX Runtime ${version}`);
for await (const line of readline.createInterface({ input: process.stdin })) {
    await session.run(feeds);
    console.log('done');
}
