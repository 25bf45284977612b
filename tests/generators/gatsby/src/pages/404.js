import * as React from "react"
const Page = () => (<main><h1>Not found</h1></main>)
export default Page
export const Head = () => <title>Not found</title>
