# The page and the server of passages in one image; compose.yaml runs both, docs/hosting.md explains.
FROM node:22-slim AS build
WORKDIR /forage
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
# What a package holds, and the compressed copies that spare visitors two thirds of the bytes.
RUN npm run package \
  && mkdir /package \
  && tar -xzf forage-*.tgz -C /package --strip-components=1 \
  && cp -r dist /package/

FROM node:22-slim
ENV NODE_ENV=production
WORKDIR /forage
COPY --from=build /package ./
USER node
EXPOSE 4173 8000
CMD ["node", "packed/forage.js", "--host", "0.0.0.0", "--port", "4173", "--no-open"]
