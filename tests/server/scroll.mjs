// How the library scrolls: times between frames, as JSON. Usage: node scroll.mjs URL [SECONDS]; bench/page.py calls it.
import puppeteer from "puppeteer-core";

const [base, seconds = "5"] = process.argv.slice(2);
const browser = await puppeteer.launch({ executablePath: "/usr/bin/chromium", headless: true,
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
const page = await browser.newPage();
await page.setViewport({ width: 1200, height: 800 });
const began = Date.now();
await page.goto(base + "#library");
await page.waitForFunction(() => document.querySelectorAll(".cell").length > 10, { timeout: 120000 });
const shown = Date.now() - began;

/** Scrolls by so many pixels per frame; milliseconds from frame to frame, and the longest of them in our own code. */
const scroll = (step, time) => page.evaluate((pixels, length) => new Promise(resolve => {
  const grid = document.querySelector(".grid"), frames = [], until = performance.now() + length;
  let last = performance.now();
  const frame = now => {
    frames.push(now - last);
    last = now;
    grid.scrollTop += pixels;
    if (now < until) requestAnimationFrame(frame);
    else resolve(frames.slice(2));
  };
  requestAnimationFrame(frame);
}), step, 1000 * time);

/** What drawing costs by itself, whatever else the machine does: milliseconds of one jump to a place. */
const draws = await page.evaluate(() => {
  const grid = document.querySelector(".grid"), times = [];
  for (let i = 0; i < 100; i++) {
    const start = performance.now();
    grid.scrollTop = (i * 7919 % 100) / 100 * grid.scrollHeight;
    grid.dispatchEvent(new Event("scroll"));
    times.push(performance.now() - start);
  }
  return times;
});
const still = await scroll(0, Number(seconds)); // the same without scrolling: what this machine can do
const slow = await scroll(40, Number(seconds)), fast = await scroll(800, Number(seconds));
const cells = await page.$$eval(".cell", all => all.length);
await page.waitForFunction(() => [...document.querySelectorAll(".cell img")].every(i => i.complete && i.naturalWidth), { timeout: 60000 });
console.log(JSON.stringify({ shown, cells, draws, still, slow, fast }));
await browser.close();
