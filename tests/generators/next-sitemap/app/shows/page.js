export const metadata = { title: "Shows", alternates: { canonical: "/shows/" } };

export default function Shows() {
  return <ul>{["comets", "moons"].map((show) => <li key={show}><a href={`/shows/${show}/`}>{show}</a></li>)}</ul>;
}
