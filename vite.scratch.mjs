import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
export default defineConfig({ base:'./', plugins:[react()], worker:{format:'es'}, build:{target:'es2022',modulePreload:{polyfill:false},chunkSizeWarningLimit:800, minify:false, cssMinify:false}});
