export const metadata = { metadataBase: new URL("https://planetarium.example.com") };

export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>
        <nav>
          <a href="/">Home</a> <a href="/shows/">Shows</a> <a href="/visit/">Visit</a>
        </nav>
        <main>{children}</main>
      </body>
    </html>
  );
}
