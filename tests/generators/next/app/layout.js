export const metadata = { metadataBase: new URL("https://next.example.com") };

export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>
        <a href="/">Harbour</a> <a href="/tides/">Tides</a> <a href="/fees/">Fees</a>
        <main>{children}</main>
      </body>
    </html>
  );
}
