import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const folder = (name: string): string =>
  fileURLToPath(new URL(`./src/${name}`, import.meta.url));

export default defineConfig({
  resolve: {
    alias: {
      "@auth": folder("auth"),
      "@carriers": folder("carriers"),
      "@notifications": folder("notifications"),
      "@parcels": folder("parcels"),
      "@shared": folder("shared"),
    },
  },
});
