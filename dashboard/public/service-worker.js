/** Shows notifications, and keeps the files of the page, never its data, for when no daemon answers. */
const SHELL = "shell"
const FILES = /^\/($|homes\/[^/]+\/$|assets\/|favicon\.svg$|manifest\.webmanifest$)/
const LABELS = { approve: "Approve", reject: "Reject", answer: "Answer" }

self.addEventListener("install", () => self.skipWaiting())
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()))

self.addEventListener("fetch", (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method === "GET" && origin === location.origin && FILES.test(pathname))
    event.respondWith(load(request, pathname))
})

async function load(request, pathname) {
  const shell = await caches.open(SHELL)
  try {
    const answer = await fetch(request)
    if (answer.ok) await keep(shell, pathname, answer.clone())
    return answer
  } catch (error) {
    const kept = await shell.match(pathname)
    if (kept) return kept
    throw error
  }
}

/** A new build has new names, so that its script takes the place of the old one. */
async function keep(shell, pathname, answer) {
  const kind = pathname.split(".").at(-1)
  for (const { url } of pathname.startsWith("/assets/") ? await shell.keys() : []) {
    const old = new URL(url).pathname
    if (old.startsWith("/assets/") && old.endsWith(`.${kind}`)) await shell.delete(url)
  }
  await shell.put(pathname, answer)
}

self.addEventListener("push", (event) => {
  const { title, body, tag, path, actions } = event.data.json()
  const buttons = actions.map((action) => ({ action, title: LABELS[action] }))
  const options = { body, tag, icon: "/favicon.svg", data: { path }, actions: buttons }
  event.waitUntil(self.registration.showNotification(title, options))
})

/** A decision is made on the page, which shows what it is about. */
self.addEventListener("notificationclick", (event) => {
  const { data, close } = event.notification
  close.call(event.notification)
  // Each home has a registration of its own, at the path of its page.
  event.waitUntil(open(new URL(`.${data.path}`, self.registration.scope).href))
})

async function open(path) {
  const [page] = await self.clients.matchAll({ type: "window" })
  if (!page) return await self.clients.openWindow(path)
  await page.navigate(path)
  return await page.focus()
}
