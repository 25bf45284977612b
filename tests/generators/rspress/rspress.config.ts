import { defineConfig } from '@rspress/core';
import { pluginSitemap } from '@rspress/plugin-sitemap';

export default defineConfig({
  root: 'docs',
  title: 'Harbour',
  siteOrigin: 'https://rspress.example.com',
  plugins: [pluginSitemap({ siteUrl: 'https://rspress.example.com' })],
});
