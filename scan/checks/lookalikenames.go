package checks

import "strings"

// Names of packages that very many people install, as of late 2025, for the
// rule launch/lookalike. A name of one of these lists is itself no lookalike; the
// near lists are well-known packages that are one letter away from a famous one.
// The sources are the public download rankings of npm and PyPI and the reference
// servers of the Model Context Protocol.
const (
	famousNPM = `
		express react react-dom lodash axios chalk commander debug moment typescript webpack eslint prettier
		babel-core @babel/core rollup esbuild vitest mocha cypress playwright puppeteer next nuxt svelte angular
		jquery bootstrap tailwindcss postcss autoprefixer mongoose mongodb mysql mysql2 sequelize prisma redis
		ioredis socket.io nodemon dotenv cross-env cross-spawn rimraf minimist yargs inquirer semver request
		node-fetch body-parser cookie-parser jsonwebtoken bcrypt passport winston morgan helmet multer nodemailer
		async bluebird underscore rxjs graphql apollo-server styled-components react-router react-router-dom
		redux react-redux zustand immer formik zod validator uuid nanoid sharp cheerio jsdom xml2js fs-extra
		glob chokidar through2 readable-stream safe-buffer inherits core-js regenerator-runtime tslib ts-node
		electron openai langchain @anthropic-ai/sdk @anthropic-ai/claude-code @modelcontextprotocol/sdk
		@modelcontextprotocol/inspector @modelcontextprotocol/server-filesystem @modelcontextprotocol/server-memory
		@modelcontextprotocol/server-github @modelcontextprotocol/server-everything
		@modelcontextprotocol/server-sequential-thinking @modelcontextprotocol/server-puppeteer
		@modelcontextprotocol/server-postgres @modelcontextprotocol/server-slack @playwright/mcp @upstash/context7-mcp
		mcp-remote firecrawl-mcp supergateway chrome-devtools-mcp figma-developer-mcp task-master-ai repomix
		create-react-app create-next-app serverless firebase firebase-tools vercel wrangler husky lint-staged
		concurrently patch-package colors`
	nearNPM = `preact reacts tslint color chalks nexts asyncc expresso gulp debugs redis-om webpackd aync sharps dotenvx ora zoid
		server serve uuidv4 nanoids zods vite nodemon2 mongod mocha2 immerx glob2 inquire ts-mode luxon winstone`

	famousPyPI = `
		requests urllib3 boto3 botocore numpy pandas scipy matplotlib seaborn scikit-learn tensorflow torch
		torchvision transformers keras pillow opencv-python flask django fastapi uvicorn gunicorn starlette
		pydantic sqlalchemy alembic psycopg2 psycopg2-binary pymongo redis celery pytest pytest-cov black
		pylint flake8 isort mypy ruff setuptools wheel virtualenv poetry pipenv certifi idna charset-normalizer
		cryptography paramiko pyyaml python-dateutil pytz packaging attrs click jinja2 markupsafe werkzeug
		itsdangerous beautifulsoup4 lxml html5lib selenium scrapy playwright httpx aiohttp websockets
		google-cloud-storage google-auth azure-core azure-identity openai anthropic langchain llama-index
		tiktoken chromadb faiss-cpu sentence-transformers huggingface-hub datasets accelerate streamlit gradio
		dash plotly bokeh networkx sympy statsmodels xgboost lightgbm nltk spacy gensim pypdf pypdf2 pdfplumber
		reportlab python-docx python-pptx openpyxl xlsxwriter xlrd markdown markitdown rich typer tqdm loguru
		python-dotenv tenacity orjson simplejson jsonschema pyjwt passlib bcrypt pycryptodome colorama tabulate
		psutil fastmcp mcp-server-fetch mcp-server-git mcp-server-time mcp-server-sqlite awslabs-core-mcp-server
		mcp-proxy yt-dlp youtube-dl twilio stripe slack-sdk discord-py tweepy praw pyautogui pyperclip imageio
		moviepy librosa soundfile pydub pyaudio shapely geopandas folium duckdb polars pyarrow fastparquet
		dbt-core great-expectations kubernetes docker ansible fabric invoke cookiecutter sphinx mkdocs jupyter
		notebook jupyterlab ipython ipykernel`
	nearPyPI = `psycopg jinja panda pypdf3 pypdf4 markdown2 markdown-it httplib httpx2 boto attr click8 blacks dask fabric3 ipython3
		spacyr torchx redis-py pyaml mypy2 xlwt toml flask2 invoke2 sphinx2 docker-py urllib markdowns plotnine dotenv click2 piexif python`
)

// lookalikeNames is one list, ready for questions.
type lookalikeNames struct {
	famous []string
	known  map[string]bool
}

func namesOf(famous, near string) lookalikeNames {
	n := lookalikeNames{famous: strings.Fields(famous), known: map[string]bool{}}
	for _, w := range append(strings.Fields(near), n.famous...) {
		n.known[w] = true
	}
	return n
}

// minLookalike is the shortest name that is compared: among shorter ones every
// word is near another.
const minLookalike = 5

// like returns the famous name that s is one letter away from, or "".
func (n lookalikeNames) like(s string) string {
	s = strings.ToLower(s)
	if len(s) < minLookalike || len(s) > 80 || n.known[s] {
		return ""
	}
	for _, f := range n.famous {
		if len(f) >= minLookalike && oneEdit(s, f) {
			return f
		}
	}
	return ""
}

// oneEdit reports whether a and b differ by one letter that is added, left out
// or another, or by two neighbours that changed places.
func oneEdit(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 || a == b {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) < len(b) {
		return a[i:] == b[i+1:]
	}
	return a[i+1:] == b[i+1:] || i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}
