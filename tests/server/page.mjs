// The server's page in a real browser. Usage: node page.mjs URL URL-OF-AN-EMPTY-CATALOGUE PICTURE [FOLDER for screenshots]
import assert from "node:assert/strict";
import fs from "node:fs";
import { createRequire } from "node:module";
import puppeteer from "puppeteer-core";

const [base, bare, picture, shots] = process.argv.slice(2);
const axe = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = await puppeteer.launch({ executablePath: "/usr/bin/chromium", headless: true,
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
const complaints = []; // of the browser: errors, refused content
let failed = false;

async function open(view, { width = 1200, height = 800, dark = false, bypass = false, at = base } = {}) {
  const page = await browser.newPage();
  page.on("console", message => { if (message.type() === "error" || message.type() === "warn") complaints.push(`${view}: ${message.text()}`); });
  page.on("pageerror", error => complaints.push(`${view}: ${error.message}`));
  await page.setBypassCSP(bypass);
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }]);
  await page.goto(at + "#" + view);
  await page.waitForSelector("nav a[aria-current]");
  return page;
}

const said = (page, words, timeout = 20000) =>
  page.waitForFunction(text => document.getElementById("status").textContent.includes(text), { timeout }, words);
const count = (page, selector) => page.$$eval(selector, all => all.length);

const press = (page, text) => page.evaluate(name => [...document.querySelectorAll("button")].find(b => b.textContent === name).click(), text);

async function examine(page, what) {
  await page.waitForNetworkIdle({ idleTime: 100 });
  if (shots) await page.screenshot({ path: `${shots}/${what.replace(/ /g, "-")}.png` });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wide <= 0, `${what} is ${wide} pixels too wide`);
  const wrong = await page.evaluate(async () => (await window.axe.run({ runOnly: ["wcag2a", "wcag2aa"] })).violations
    .map(v => `${v.id}: ${v.nodes[0].html} ${v.nodes[0].failureSummary}`));
  assert.deepEqual(wrong, [], what);
}

async function one(name, work) {
  try {
    await work();
    console.log(`[       OK ] ${name}`);
  } catch (error) {
    console.error(error);
    console.log(`[  FAILED  ] ${name}`);
    failed = true;
  }
}

await one("the_library_shows_and_filters", async () => {
  const page = await open("library");
  await said(page, "26 pictures");
  assert.equal(await count(page, ".cell"), 26);
  await page.waitForFunction(() => [...document.querySelectorAll(".cell img")].every(i => i.complete && i.naturalWidth > 0));
  await page.select("label select", "untagged");
  await said(page, "2 pictures");
  await page.select("label select", "");
  await said(page, "26 pictures");
  await page.focus(".cell");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  const index = await page.evaluate(() => Number(document.activeElement.dataset.index));
  assert.ok(index > 1, `the focus is on ${index}`);
  await page.keyboard.press("Space");
  assert.equal(await count(page, '.cell[aria-pressed="true"]'), 1);
  await page.keyboard.press("Enter");
  await page.waitForSelector("dialog[open] .tags li");
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog:not([open])");
  await page.close();
});

await one("pictures_are_called_by_their_names", async () => {
  const page = await open("library");
  await page.waitForSelector(".cell");
  const labels = await page.$$eval(".cell", all => all.map(cell => cell.getAttribute("aria-label")));
  for (const label of labels) assert.match(label, /^(red|blue|new)\d+\.svg, \d+ of 26$/);
  await page.close();
  const other = await open("drop");
  await other.setRequestInterception(true);
  other.on("request", request => request.url().includes("/thumbnail") ? request.respond({ status: 404, body: "" }) : request.continue());
  await other.evaluate(() => { location.hash = "#library"; });
  await other.waitForFunction(() => /^\w+\.svg$/.test(document.querySelector(".cell .missing")?.textContent ?? ""));
  await other.close();
  complaints.splice(0, complaints.length, ...complaints.filter(c => !c.includes("404"))); // which the browser notes
});

await one("help_lists_the_keys_of_each_view", async () => {
  const page = await open("library");
  for (const view of ["library", "search", "review", "write", "drop"]) {
    await page.evaluate(name => { location.hash = "#" + name; }, view);
    await page.waitForFunction(name => document.querySelector("nav a[aria-current]")?.dataset.view === name, {}, view);
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press("?");
    await page.waitForSelector("dialog[open] dl");
    const text = await page.$eval("dialog", dialog => dialog.textContent);
    assert.doesNotMatch(text, /object/);
    assert.match(text, /Everywhere.*Library.*Search.*this list/);
    assert.equal(/Here/.test(text), ["library", "search", "review"].includes(view), text);
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog:not([open])");
  }
  await page.close();
});

await one("escape_leaves_a_field", async () => {
  const page = await open("search");
  await page.waitForFunction(() => document.activeElement.type === "search");
  await page.keyboard.type("sea");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.activeElement.id === "main");
  assert.equal(await page.$eval("input[type=search]", input => input.value), "sea");
  await page.keyboard.press("l");
  await page.waitForSelector('nav a[aria-current][data-view="library"]');
  await page.close();
});

await one("a_server_that_is_gone_is_named", async () => {
  const page = await open("library");
  await said(page, "26 pictures");
  await page.setOfflineMode(true);
  await page.select("label select", "untagged");
  await said(page, "The server does not answer.");
  await page.setOfflineMode(false);
  await page.select("label select", "");
  await said(page, "26 pictures");
  await page.setRequestInterception(true);
  let there = false;
  page.on("request", request => request.url().endsWith("/v1/model") && !there ? request.abort() : request.continue());
  await page.reload();
  await page.waitForFunction(() => document.querySelector("main .hint")?.textContent.includes("The server does not answer."));
  there = true;
  await press(page, "Try again");
  await said(page, "26 pictures");
  await page.close();
  complaints.splice(0, complaints.length, ...complaints.filter(c => !c.includes("net::ERR"))); // which the browser notes
});

await one("what_is_empty_says_what_to_do", async () => {
  const wants = { library: "fast0tag index", search: "Find pictures by words", review: "fast0tag index", write: "Accept tags in Review", drop: "The tags of a picture stand here" };
  for (const size of [{}, { width: 360, height: 740, dark: true }]) {
    const page = await open("library", { ...size, bypass: true, at: bare });
    await page.evaluate(axe);
    for (const [view, text] of Object.entries(wants)) {
      await page.evaluate(name => { location.hash = "#" + name; }, view);
      await page.waitForFunction(words => document.querySelector("main .hint")?.textContent.includes(words), {}, text);
      await examine(page, `${view} empty ${size.width ?? 1200}`);
    }
    await page.close();
  }
  const page = await open("library");
  await page.type("label input", "nowhere");
  await page.waitForFunction(() => document.querySelector("main .hint")?.textContent.includes("No picture is like this."));
  await press(page, "Show all pictures");
  await said(page, "26 pictures");
  await page.evaluate(() => { location.hash = "#search"; });
  await page.waitForSelector("input[type=search]");
  assert.equal(await page.$eval("#status", line => line.textContent), "", "what another view said");
  await page.type("input[type=search]", "before:1900");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("main .hint")?.textContent.includes("Nothing was found for “before:1900”."));
  await page.close();
});

await one("a_hundred_thousand_pictures_scroll", async () => {
  const page = await open("search");
  await page.setRequestInterception(true);
  page.on("request", request => {
    if (!request.url().includes("ids=1")) return request.continue();
    const ids = Array.from({ length: 100000 }, (_, i) => i % 26 + 1);
    return request.respond({ contentType: "application/json", body: JSON.stringify({ count: ids.length, ids, names: ids.map(id => `${id}.jpg`) }) });
  });
  await page.evaluate(() => { location.hash = "#library"; });
  await said(page, "100");
  for (let i = 0; i < 20; i++) {
    await page.evaluate(at => { document.querySelector(".grid").scrollTop = at; }, i * 90000);
    await page.evaluate(() => new Promise(requestAnimationFrame));
    const cells = await count(page, ".cell");
    assert.ok(cells > 10 && cells < 150, `${cells} cells`);
  }
  await page.focus(".cell");
  await page.keyboard.press("End");
  assert.equal(await page.evaluate(() => document.activeElement.dataset.index), "99999");
  await page.waitForFunction(() => [...document.querySelectorAll(".cell img")].length > 10);
  const order = await page.$$eval(".cell", all => all.map(cell => Number(cell.dataset.index)));
  assert.deepEqual(order, [...order].sort((a, b) => a - b), "cells are read in another order than they are shown");
  await page.close();
});

await one("search_finds_and_says_when_nothing_is_certain", async () => {
  const page = await open("search");
  await page.type("input[type=search]", "sea");
  await page.keyboard.press("Enter");
  await said(page, "found.");
  assert.ok(await count(page, ".cell") >= 12);
  await page.$eval("input[type=search]", input => { input.value = "sea with the"; });
  await page.click("button.main");
  await said(page, "Left out: “with”, “the”.");
  await page.$eval("input[type=search]", input => { input.value = "lake"; });
  await page.click("button.main");
  await said(page, "Nothing certain; these are the nearest.");
  await page.$eval("input[type=search]", input => { input.value = "zzz"; });
  await page.click("button.main");
  await said(page, "'zzz' is neither a tag");
  complaints.splice(0, complaints.length, ...complaints.filter(c => !c.includes("404"))); // which the browser notes
  await page.evaluate(() => { location.hash = "#search/1"; });
  await said(page, "like this picture");
  await page.close();
});

await one("what_is_sure_is_accepted_together_and_undone_as_one", async () => {
  const page = await open("review");
  const accepted = () => page.$$eval('.tags li[data-decision="accepted"] .name', all => all.map(e => e.textContent));
  const offered = () => page.$$eval(".tags .name", all => all.map(e => e.textContent));
  await page.waitForSelector(".review .tags li.at");
  assert.deepEqual(await offered(), ["rose", "tulip", "boat"]);
  await press(page, "Accept 2 of at least 60 %");
  await said(page, "rose, tulip: accepted");
  assert.deepEqual(await accepted(), ["rose", "tulip"]);
  assert.equal(await page.evaluate(() => [...document.querySelectorAll("button")].find(b => b.textContent === "None of at least 60 %").disabled), true);
  await page.keyboard.press("u");
  await said(page, "2 tags: undecided again");
  assert.deepEqual(await accepted(), []);
  await page.keyboard.press("A");
  await said(page, "rose, tulip: accepted");
  await page.keyboard.press("u");
  await said(page, "2 tags: undecided again");
  await page.select("label.check select", "0");
  await page.waitForFunction(() => [...document.querySelectorAll(".tags .name")].some(e => e.textContent === "rose" ));
  for (let i = 0; i < 26 && !(await offered()).includes("fish"); i++) {
    const before = await page.$eval("figcaption", e => e.textContent);
    await page.keyboard.press("n");
    await page.waitForFunction(name => document.querySelector("figcaption").textContent !== name, {}, before);
  }
  assert.ok((await offered()).includes("fish"));
  await page.close();
});

await one("review_goes_by_keys", async () => {
  const page = await open("review");
  await page.waitForSelector(".review .tags li.at");
  await page.keyboard.press("y");
  await page.waitForSelector(".why .strip img");
  await page.waitForSelector(".why .direction svg circle.asked");
  assert.ok(await count(page, ".direction text") >= 2, "the direction has no labels");
  await page.keyboard.press("a");
  await said(page, "accepted");
  assert.equal(await count(page, '.tags li[data-decision="accepted"]'), 1);
  await page.keyboard.press("u");
  await said(page, "undecided again");
  assert.equal(await count(page, '.tags li[data-decision="accepted"]'), 0);
  await page.keyboard.press("x");
  await said(page, "rejected");
  await page.keyboard.press("u");
  await said(page, "undecided again");
  await page.keyboard.press("t");
  await page.keyboard.type("my dog");
  await page.keyboard.press("Enter");
  await said(page, "my dog: accepted");
  await page.keyboard.press("n");
  await said(page, ".svg: ");
  await press(page, "Learn");
  await said(page, "Learned from");
  assert.match(await page.$eval(".changes", e => e.textContent), /New to the model: my dog/);
  if (shots) await page.screenshot({ path: `${shots}/learned.png` });
  await press(page, "Learn anew");
  await said(page, "Learning: ");
  assert.equal(await count(page, "progress:not([hidden])"), 1);
  await said(page, "Learned from", 120000);
  await page.waitForSelector("progress[hidden]");
  assert.doesNotMatch(await page.$eval(".changes", e => e.textContent), /New to the model/);
  await press(page, "Undo learning");
  await said(page, "The model of before is back: 3 tags");
  assert.equal(await page.$$eval("button:disabled", all => all.filter(b => /earn/.test(b.textContent)).length), 0);
  await page.close();
});

await one("keywords_are_shown_then_written_then_taken_back", async () => {
  const page = await open("write");
  await said(page, "1 file would change");
  assert.match(await page.$eval("tbody", body => body.textContent), /\+my dog/);
  await page.click("button.main");
  await said(page, "1 file changed");
  const sidecars = () => fs.readdirSync("art").filter(name => name.endsWith(".xmp"));
  assert.equal(sidecars().length, 1);
  await press(page, "Undo the last write");
  await page.waitForFunction(() => !document.querySelector("button:disabled") || document.getElementById("status").textContent.includes("changed"));
  for (let i = 0; i < 100 && sidecars().length; i++) await new Promise(resolve => setTimeout(resolve, 50));
  assert.equal(sidecars().length, 0);
  await page.close();
});

await one("a_server_without_a_backbone_asks_for_no_picture", async () => {
  const page = await open("library");
  await page.evaluate(() => { location.hash = "#drop"; });
  await page.waitForSelector("main button.main");
  await page.click("main button.main");
  await said(page, "Choose a picture first.");
  await page.setRequestInterception(true);
  page.on("request", async request => request.url().endsWith("/v1/model") ? request.respond({ contentType: "application/json", body: JSON.stringify(
    { ...await (await fetch(base + "v1/model")).json(), takes_pictures: false }) }) : request.continue());
  await page.reload();
  await page.waitForFunction(() => document.querySelector("main .hint")?.textContent.includes("--backbone"));
  assert.equal(await page.$eval("input[type=file]", input => input.disabled), true);
  await page.close();
});

await one("a_dropped_picture_gets_tags_of_any_words", async () => {
  const page = await open("drop");
  await (await page.$("input[type=file]")).uploadFile(picture);
  await said(page, "1 tag"); // which is sure enough to be offered
  await page.type("input[placeholder]", "flower, lake");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector(".tags .name")?.textContent === "flower" || document.querySelector(".tags .name")?.textContent === "lake");
  await page.close();
});

// What is done in a view before it is looked at: all of it is to fit and to be accessible.
const preparations = {
  library: page => page.waitForSelector(".cell").then(() => page.click(".cell")).then(() => page.waitForSelector("dialog[open] .tags li")),
  search: page => page.type("input[type=search]", "sea").then(() => page.keyboard.press("Enter")).then(() => said(page, "found.")),
  review: page => press(page, "Why?").then(() => page.waitForSelector(".direction svg circle")),
  write: page => page.waitForSelector("table, main p"),
  drop: async page => { await (await page.$("input[type=file]")).uploadFile(picture); await page.waitForSelector(".result .tags li"); },
};

await one("every_view_fits_and_is_accessible", async () => {
  for (const size of [{ width: 1200, height: 800 }, { width: 360, height: 740, dark: true }]) {
    const page = await open("library", { ...size, bypass: true });
    await page.evaluate(axe);
    for (const [view, prepare] of Object.entries(preparations)) {
      await page.evaluate(name => { location.hash = "#" + name; }, view);
      await page.waitForFunction(name => document.querySelector("nav a[aria-current]")?.dataset.view === name, {}, view);
      await examine(page, `${view} ${size.width}`);
      await prepare(page);
      await examine(page, `${view} used ${size.width}`);
      await page.evaluate(() => document.getElementById("dialog").close());
    }
    await page.close();
  }
});

await one("the_browser_complains_about_nothing", async () => assert.deepEqual(complaints, []));
await browser.close();
process.exit(failed ? 1 : 0);
