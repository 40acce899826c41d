/**
 * The modules of Node that every command needs.
 *
 * Not by `import`, which reads all exports of such a module, lazy ones too: node:fs then loads its
 * promises, node:util its REPL parts, node:http undici. Together that takes as long as Node itself.
 */
export const fs = process.getBuiltinModule("node:fs")
export const util = process.getBuiltinModule("node:util")
