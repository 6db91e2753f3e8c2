// A small server as one would write it with onnxruntime-node and sharp: POST /v1/tag with a JPEG gives the five best
// classes of MobileNetV2. Requests are gathered into batches of at most BATCH (1: each by itself).
// Usage: node server.js MODEL.onnx PORT; scripts/deps-npm bench/serve-node first (the CPU's library is in the package).
import http from "node:http";
import os from "node:os";
import ort from "onnxruntime-node";
import sharp from "sharp";

const [model, port] = process.argv.slice(2);
const most = Number(process.env.BATCH || 1);
const SIDE = 224, PIXELS = SIDE * SIDE;
sharp.cache(false);
sharp.concurrency(1); // one thread per picture, many pictures at a time: libuv's pool has os.cpus()
const session = await ort.InferenceSession.create(model, { intraOpNumThreads: os.cpus().length });
const input = session.inputNames[0];
const output = session.outputNames.includes("logits") ? "logits" : session.outputNames[0];

async function pixels(jpeg) {
  const image = sharp(jpeg), { width, height } = await image.metadata();
  const shorter = Math.min(width, height), scale = 256 / shorter;
  const w = Math.round(width * scale), h = Math.round(height * scale);
  const left = (w - SIDE) >> 1, top = (h - SIDE) >> 1;
  const rgb = await image.resize(w, h).extract({ left, top, width: SIDE, height: SIDE }).removeAlpha().raw().toBuffer();
  const planes = new Float32Array(3 * PIXELS);
  for (let i = 0, j = 0; i < PIXELS; i++, j += 3) {
    planes[i] = (rgb[j] - 128) / 128;
    planes[i + PIXELS] = (rgb[j + 1] - 128) / 128;
    planes[i + 2 * PIXELS] = (rgb[j + 2] - 128) / 128;
  }
  return planes;
}

const waiting = [];
let running = 0;
async function work() {
  if (running || !waiting.length) return;
  running++;
  const batch = waiting.splice(0, most);
  const all = new Float32Array(batch.length * 3 * PIXELS);
  batch.forEach(({ planes }, i) => all.set(planes, i * 3 * PIXELS));
  try {
    const out = await session.run({ [input]: new ort.Tensor("float32", all, [batch.length, 3, SIDE, SIDE]) }, [output]);
    const { data, dims } = out[output], classes = dims[1];
    batch.forEach(({ resolve }, i) => {
      const row = data.subarray(i * classes, (i + 1) * classes);
      resolve([...row.keys()].sort((a, b) => row[b] - row[a]).slice(0, 5).map(tag => ({ tag, score: row[tag] })));
    });
  } catch (error) {
    batch.forEach(({ reject }) => reject(error));
  }
  running--;
  work();
}

const rank = planes => new Promise((resolve, reject) => {
  waiting.push({ planes, resolve, reject });
  work();
});

http.createServer(async (request, response) => {
  try {
    const parts = [];
    for await (const part of request) parts.push(part);
    const tags = await rank(await pixels(Buffer.concat(parts)));
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ pictures: [{ tags }] }));
  } catch (error) {
    response.writeHead(422, { "Content-Type": "application/json" }).end(JSON.stringify({ error: { message: String(error) } }));
  }
}).listen(Number(port), "127.0.0.1", () => console.log("ready"));
