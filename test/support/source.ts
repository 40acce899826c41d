/**
 * Reads the program's own source for the tests of the house rules.
 *
 * The syntax tree is the compiler's, so code, comments and strings are told apart.
 */
import { globSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import {
  isArrayLiteralExpression,
  isCallExpression,
  isClassDeclaration,
  isExportDeclaration,
  isFunctionDeclaration,
  isFunctionLikeDeclaration,
  isIdentifier,
  isImportDeclaration,
  isImportTypeNode,
  isInterfaceDeclaration,
  isNewExpression,
  isPropertyAccessExpression,
  isStringLiteralLikeNode,
  isTemplateLiteralToken,
  isTypeAliasDeclaration,
  isVariableStatement,
  type Node,
  type SourceFile,
  type Statement,
  SyntaxKind,
} from "typescript/unstable/ast"
import { API } from "typescript/unstable/sync"

export const ROOT = resolve(import.meta.dirname, "../..")

/** All code, without the types that it imports: to read those takes most of the time. */
const PROJECT = resolve(import.meta.dirname, "tsconfig.json")

export type Source = {
  /** From the root of the repository: `src/kernel/git/start/exec.ts`. */
  readonly path: string
  readonly text: string
  /** As they are written, type imports too: `../base/ids.ts`, `node:fs`. */
  readonly imports: readonly string[]
  /** The imports that are not types alone. */
  readonly values: readonly string[]
  /** Text of string literals and fixed parts of templates; no import paths. */
  readonly strings: readonly string[]
  /** First words of lists, which is where a command's arguments name the command. */
  readonly commands: readonly string[]
  /** Exported values. A shape (a type, or a schema that shares its name with a type) is none. */
  readonly exports: readonly string[]
  /** Names of another module that this one exports as well. */
  readonly reexports: boolean
  readonly functions: readonly {
    readonly name: string
    readonly lines: number
    readonly parameters: number
  }[]
  /** Every name in it, its own and others'. */
  readonly names: ReadonlySet<string>
  /** Names and calls that code uses: `setTimeout`, `Date.now`, `new Date()`, `process`. */
  readonly uses: ReadonlySet<string>
}

let sources: readonly Source[] | undefined

/**
 * Every file of src, dashboard and torture that is part of the package, which tests and contracts
 * are not. The files are read once for all tests of a process.
 */
export function readSources(): readonly Source[] {
  sources ??= visitSources(sourceOf)
  return sources
}

/**
 * Calls `visit` with the syntax tree of each of these files.
 *
 * @param visit must be done with the tree when it returns: the compiler ends then.
 */
export function visitSources<Seen>(visit: (path: string, file: SourceFile) => Seen): Seen[] {
  return visitFiles(isPackaged, visit)
}

/** The paths of these files, for a test that needs no syntax tree. */
export function listSources(): readonly string[] {
  const files = globSync("{src,dashboard/src,torture}/**/*.{ts,tsx}", { cwd: ROOT })
  return files.filter(isPackaged).toSorted()
}

const isPackaged = (path: string) =>
  /^(src|dashboard|torture)\//.test(path) && !/\.test\.ts$|\/contract\.ts$/.test(path)

/**
 * Like `visitSources`, for the files of the repository that are wanted.
 *
 * @param isWanted is given the path from the root of the repository.
 */
export function visitFiles<Seen>(
  isWanted: (path: string) => boolean,
  visit: (path: string, file: SourceFile) => Seen,
): Seen[] {
  const api = new API({ cwd: ROOT })
  try {
    const [project] = api.updateSnapshot({ openProjects: [PROJECT] }).getProjects()
    if (project === undefined) throw new Error("the compiler misses the project")
    return project.rootFiles
      .filter((path) => isWanted(relative(ROOT, path)))
      .map((path) => visit(path, project.program.getSourceFile(path)!))
  } finally {
    api.close()
  }
}

/** The files that break a rule, each with what breaks it where the rule can tell. */
export function offenders(rule: (source: Source) => boolean | readonly string[]): string[] {
  return readSources().flatMap((source) => {
    const found = rule(source)
    if (typeof found === "boolean") return found ? [source.path] : []
    return found.map((what) => `${source.path}: ${what}`)
  })
}

/** The imports of a file: files as paths from the root, everything else by its name. */
export const targets = ({ path, imports }: Source): string[] =>
  imports.map((name) => pathAt(path, name))

/** The same without those that are types alone. */
export const valuesOf = ({ path, values }: Source): string[] =>
  values.map((name) => pathAt(path, name))

const pathAt = (path: string, name: string): string =>
  name.startsWith(".") ? join(dirname(path), name) : name

function sourceOf(path: string, file: SourceFile): Source {
  const nodes = descendants(file)
  return {
    path: relative(ROOT, path),
    text: readFileSync(path, "utf8"),
    imports: nodes.flatMap(importOf),
    values: nodes.filter((node) => !isOfTypes(node)).flatMap(importOf),
    strings: nodes.flatMap(stringOf),
    commands: nodes.flatMap(commandOf),
    exports: exportsOf(file.statements),
    reexports: file.statements.some((node) => isExportDeclaration(node) && node.moduleSpecifier),
    functions: nodes.flatMap((node) => functionOf(node, file)),
    names: new Set(nodes.flatMap((node) => (isIdentifier(node) ? [node.text] : []))),
    uses: new Set(nodes.flatMap(useOf)),
  }
}

/** All nodes below `node`, in the order of the text. */
export function descendants(node: Node): Node[] {
  const found: Node[] = []
  const visit = (child: Node) => {
    found.push(child)
    child.forEachChild(visit)
  }
  node.forEachChild(visit)
  return found
}

/** `import type …`, or the type of an import. */
const isOfTypes = (node: Node): boolean =>
  isImportTypeNode(node) || /^(im|ex)port type\b/.test(node.getText())

function importOf(node: Node): string[] {
  const from =
    isImportDeclaration(node) || isExportDeclaration(node)
      ? node.moduleSpecifier
      : isCallExpression(node) && node.expression.kind === SyntaxKind.ImportKeyword
        ? node.arguments[0]
        : isImportTypeNode(node)
          ? node.argument
          : undefined
  return from === undefined ? [] : [from.getText().replaceAll(/^["'`]|["'`]$/g, "")]
}

function stringOf(node: Node): string[] {
  if (importOf(node.parent).length > 0) return []
  return isStringLiteralLikeNode(node) || isTemplateLiteralToken(node) ? [node.text] : []
}

function commandOf(node: Node): string[] {
  const first = isArrayLiteralExpression(node) ? node.elements[0] : undefined
  return first === undefined ? [] : stringOf(first)
}

function exportsOf(statements: readonly Statement[]): string[] {
  const exported = statements.filter((node) => node.getText().startsWith("export "))
  const shapes = exported.filter(
    (node) => isTypeAliasDeclaration(node) || isInterfaceDeclaration(node),
  )
  const values = exported.flatMap((node) => {
    if (isVariableStatement(node)) {
      return node.declarationList.declarations.map(({ name }) => name.getText())
    }
    const named = isFunctionDeclaration(node) || isClassDeclaration(node)
    return named && node.name ? [node.name.text] : []
  })
  return values.filter((value) => !shapes.some(({ name }) => name.text === value))
}

function functionOf(node: Node, file: SourceFile): Source["functions"] {
  if (!isFunctionLikeDeclaration(node)) return []
  const lineAt = (position: number) => file.getLineAndCharacterOfPosition(position).line
  const first = lineAt(node.getStart())
  const name = "name" in node && node.name ? node.name.getText() : `function of line ${first + 1}`
  const lines = lineAt(node.getEnd()) - first + 1
  return [{ name, lines, parameters: node.parameters.length }]
}

/** A property's name is not used where it stands behind a dot or names a member. */
function useOf(node: Node): string[] {
  if (isPropertyAccessExpression(node)) return [node.getText()]
  if (isNewExpression(node)) return [node.getText()]
  if (!isIdentifier(node)) return []
  const named = "name" in node.parent && node.parent.name === node
  return named ? [] : [node.text]
}
