// offline.js - a service worker: keeps the page of a host, so that it opens without a network. What
// the host has comes first.
const KEPT = "warpline";

self.addEventListener("install", event => {
  event.waitUntil(caches.open(KEPT).then(kept => kept.add("./")).then(() => self.skipWaiting()));
});
self.addEventListener("activate", event => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", event => {
  if (event.request.mode !== "navigate") return;
  event.respondWith((async () => {
    const kept = await caches.open(KEPT);
    try {
      const page = await fetch(event.request);
      if (page.ok) await kept.put("./", page.clone());
      return page;
    } catch {
      return (await kept.match("./")) || Response.error();
    }
  })());
});
