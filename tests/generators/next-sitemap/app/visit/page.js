export const metadata = { title: "Visit", alternates: { canonical: "/visit/" } };

export default function Visit() {
  return <p>Tram 3 to the last stop, then up the stairs.</p>;
}
