#!/usr/bin/env node
/**
 * Starts Coppice: finds a Node that is new enough, and runs the package's JavaScript, or the
 * TypeScript that it is made from where there is no dist.
 *
 * Plain JavaScript that an old Node reads too, so that it can say what is wrong.
 */
const NODE_MAJOR_MIN = 24
const beside = (path) => new URL(`../${path}`, import.meta.url)

if (Number.parseInt(process.versions.node, 10) >= NODE_MAJOR_MIN) process.exitCode = await start()
else await startWithNewerNode()

async function start() {
  // Not by `import`: see src/api/client/node-builtins.ts.
  const built = process.getBuiltinModule("node:fs").existsSync(beside("dist/launch.js"))
  const { launch } = await import(beside(built ? "dist/launch.js" : "src/launch.ts").href)
  return launch()
}

/** A machine with an older Node works when the package `node` is installed beside this one. */
async function startWithNewerNode() {
  const { existsSync } = await import("node:fs")
  const { fileURLToPath } = await import("node:url")
  const program = ["node_modules/node/bin/node", "../node/bin/node"]
    .map((path) => fileURLToPath(beside(path)))
    .find((path) => existsSync(path))
  if (!program) return explain()

  const { spawn } = await import("node:child_process")
  const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  const child = spawn(program, args, { stdio: "inherit" })
  process.on("SIGINT", () => {}) // a terminal sends it to the child too, which decides
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
  child.on("exit", (code) => {
    process.exitCode = code ?? 1
  })
}

function explain() {
  console.error(
    `coppice: Node ${NODE_MAJOR_MIN} or newer is needed; this is ${process.versions.node}.\n` +
      `  Install it from your system, or beside Coppice: \`npm install node@${NODE_MAJOR_MIN}\`,\n` +
      "  with `-g` where Coppice was installed with it.",
  )
  process.exitCode = 2
}
