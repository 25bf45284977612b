export const metadata = { title: "Fees" };

export default function Page() {
  return <p>{"What a night costs, and who pays it. ".repeat(12)}</p>;
}
