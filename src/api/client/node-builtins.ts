/**
 * The modules of Node that every command needs.
 *
 * They are not imported: `import` reads all exports of such a module, lazy ones too. node:fs would
 * load its promises, node:util its REPL parts, node:http undici. That takes as long as Node itself.
 */
export const fs = process.getBuiltinModule("node:fs")
export const util = process.getBuiltinModule("node:util")
/** Answers whether this is the single executable, whose files are inside of it. */
export const sea = process.getBuiltinModule("node:sea")
