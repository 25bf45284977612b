export const metadata = { title: "Planetarium", alternates: { canonical: "/" } };

export default function Home() {
  return <h1>The sky, every evening at eight</h1>;
}
