// Answer requests with the routes of the worker, one after another, without a browser.
// Arguments: the folder of the modules, the file agents.json. Input: a list of [path, query].

import { readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";

const [folder, agents] = process.argv.slice(2);
globalThis.location = pathToFileURL(`${folder}/worker.js`).href;
globalThis.fetch = async (address) => {
  const file = fileURLToPath(address);
  return new Response(readFileSync(file.endsWith("agents.json") ? agents : file));
};

/** A job that nobody cancels. */
class Job {
  seconds = 60;
  start = performance.now();
  left = 15;

  get elapsed() {
    return (performance.now() - this.start) / 1000;
  }

  get isLate() {
    return this.elapsed >= this.seconds;
  }

  async pause() {}

  send() {}
}

const routes = {};
for (const name of ["agents.js", "traces.js"]) {
  Object.assign(routes, (await import(pathToFileURL(`${folder}/${name}`).href)).routes);
}
const answers = [];
for (const [path, query] of JSON.parse(readFileSync(0, "utf8"))) {
  answers.push(await routes[path](query, new Job()).catch((error) => ({ error: error.message })));
}
process.stdout.write(JSON.stringify(answers));
