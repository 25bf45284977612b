export const generateStaticParams = () => ["comets", "moons"].map((show) => ({ show }));

export async function generateMetadata({ params }) {
  const { show } = await params;
  return { title: show, alternates: { canonical: `/shows/${show}/` } };
}

export default async function Show({ params }) {
  const { show } = await params;
  return <h1>Half an hour about {show}</h1>;
}
