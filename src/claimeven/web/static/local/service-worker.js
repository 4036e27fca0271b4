// Use without a network: the first visit stores all files of the site, which answer from then on.
// `claimeven site` writes VERSION and FILES (path: digest) above. A new version replaces the stored
// files when no page of the old one is open, so that no page mixes two versions.

const PREFIX = `claimeven ${registration.scope} `;
const CACHE = PREFIX + VERSION;

async function store() {
  const cache = await caches.open(CACHE);
  const requests = Object.entries(FILES).map(([path, integrity]) => new Request(path, { integrity, cache: "no-cache" }));
  await cache.addAll(requests).catch(async (error) => {
    await caches.delete(CACHE);
    throw error; // a file is missing or incomplete, or the storage is full: the next visit tries again
  });
}

async function takeOver() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(PREFIX) && name !== CACHE).map((name) => caches.delete(name)));
  await clients.claim();
}

async function answer(request) {
  const cache = await caches.open(CACHE);
  return await cache.match(request.url.replace(/index\.html(?=$|[?#])/, ""), { ignoreSearch: true }) ?? fetch(request);
}

addEventListener("install", (event) => event.waitUntil(store()));
addEventListener("activate", (event) => event.waitUntil(takeOver()));
addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  if (method === "GET" && url.startsWith(registration.scope)) event.respondWith(answer(event.request));
});
