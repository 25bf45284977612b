import Link from "@docusaurus/Link";
import Layout from "@theme/Layout";

export default function Home() {
  return (
    <Layout title="Home" description="Containers, ships and trains">
      <main>
        <h1>Harbour</h1>
        <p>
          Containers between ships and trains. <Link to="/docs/intro">Read the introduction</Link>, or the{" "}
          <Link to="/pricing">prices</Link>.
        </p>
      </main>
    </Layout>
  );
}
