export const metadata = { title: "Tides" };

export default function Page() {
  return <p>{"When the water is high, and for how long. ".repeat(12)}</p>;
}
