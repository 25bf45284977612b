// What is made is known to the interface alone: its pages have no link before it has answered.
import { useEffect, useState } from 'react'
import { Link, useParams } from 'react-router'
import { useHead } from './head.js'

function useProducts() {
  const [products, setProducts] = useState([])
  useEffect(() => {
    fetch('/api/products.json').then((answer) => answer.json()).then(setProducts)
  }, [])
  return products
}

export function Products() {
  const products = useProducts()
  useHead({ title: 'Products' })
  return (
    <>
      <h1>Products</h1>
      {products.length ? null : <p>Loading…</p>}
      <ul>
        {products.map(({ name, text }) => (
          <li key={name}>
            <Link to={`/products/${name}`}>{text}</Link>
          </li>
        ))}
      </ul>
    </>
  )
}

export function Product() {
  const { name } = useParams()
  const product = useProducts().find((one) => one.name === name)
  useHead({ title: product?.text ?? 'Product', canonical: `/products/${name}` })
  return <h1>{product?.text ?? 'Loading…'}</h1>
}
