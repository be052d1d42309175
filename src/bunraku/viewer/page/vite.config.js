// Builds the page into ONE html file: the only script and the only style stand inline, so that a Content-Security-Policy
// can allow exactly these two by their sha256, and a page opened from the file system needs no second file.
import { readFileSync } from "node:fs";
import { defineConfig } from "vite";

/** The licences of the libraries inside the page, as their authors ask. */
const licences = ["three", "uplot"]
  .map((name) => `${name}: ${readFileSync(`node_modules/${name}/LICENSE`, "utf8").trim().replace(/--+/g, "-")}`)
  .join("\n\n");

/** Text that may stand inside a script element: no end tag and no comment opener. */
const inScript = (code) => code.replace(/<\/(script)/gi, "<\\/$1").replace(/<!--/g, "<\\!--");

function oneFile() {
  return {
    name: "bunraku-one-file",
    enforce: "post",
    generateBundle(_options, bundle) {
      const page = bundle["index.html"];
      const scripts = Object.values(bundle).filter((part) => part.type === "chunk");
      const styles = Object.values(bundle).filter((part) => part.fileName.endsWith(".css"));
      if (scripts.length !== 1 || styles.length !== 1) {
        this.error(`wanted one script and one style, got ${scripts.length} and ${styles.length}`);
      }
      const html = page.source
        .replace(/\s*<script[^>]*src=[^>]*><\/script>/g, "")
        .replace(/\s*<link[^>]*rel="stylesheet"[^>]*>/g, "")
        .replace("<head>", () => `<head>\n<!-- This page contains\n\n${licences}\n-->`)
        .replace("<!-- bunraku:style -->", () => `<style>${styles[0].source.trim()}</style>`)
        .replace("<!-- bunraku:script -->", () => `<script>${inScript(scripts[0].code.trim())}</script>`);
      for (const part of Object.keys(bundle)) if (part !== "index.html") delete bundle[part];
      page.source = html;
    },
  };
}

export default defineConfig({
  plugins: [oneFile()],
  build: {
    target: "es2022",
    outDir: "dist",
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 10_000_000,
    chunkSizeWarningLimit: 2000,
    rollupOptions: { output: { format: "iife" } },
  },
});
