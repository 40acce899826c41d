/**
 * Node's HTTP modules, not by import: an `import` reads all exports, lazy ones too, and so loads undici.
 * That takes a sixth of the daemon's start.
 */
export const http = process.getBuiltinModule("node:http")
export const https = process.getBuiltinModule("node:https")
