import { createRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router'
import { Routing } from './routing.jsx'

createRoot(document.getElementById('root')).render(
  <BrowserRouter>
    <Routing />
  </BrowserRouter>,
)
