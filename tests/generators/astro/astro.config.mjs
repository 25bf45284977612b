import sitemap from "@astrojs/sitemap";
import { defineConfig } from "astro/config";

export default defineConfig({
  site: "https://observatory.example.com",
  integrations: [sitemap()],
  redirects: { "/old-notes": "/notes" },
});
