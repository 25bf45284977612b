import * as React from "react"
import { Link } from "gatsby"
const Page = () => (<main><h1>tides</h1><p>{"What there is to say about tides in words of its own. ".repeat(20)}</p><Link to="/">Home</Link> <Link to="/tides/">Tides</Link> <Link to="/berths/">Berths</Link></main>)
export default Page
export const Head = () => (<><html lang="en" /><title>tides</title></>)
