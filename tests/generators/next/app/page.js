export const metadata = { title: "Harbour" };

export default function Page() {
  return <p>{"Where boats lie, and when they may leave. ".repeat(12)}</p>;
}
