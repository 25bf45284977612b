export const metadata = { title: "Staff", robots: { index: false } };

export default function Staff() {
  return <p>Shifts of this week.</p>;
}
