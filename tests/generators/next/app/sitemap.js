export const dynamic = "force-static";

export default function sitemap() {
  return ["", "tides/", "fees/"].map((path) => ({ url: `https://next.example.com/${path}` }));
}
